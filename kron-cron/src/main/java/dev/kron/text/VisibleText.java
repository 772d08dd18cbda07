package dev.kron.text;

import java.util.HexFormat;

/**
 * Text of unknown origin made fit for a terminal: what a person cannot see, or what a terminal
 * would obey (escapes, direction overrides), becomes a visible code.
 */
public final class VisibleText {
  private static final int QUOTED_CHARACTERS = 60;

  private VisibleText() {}

  /** The whole text, made visible. */
  public static String of(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~') {
        return visible(text);
      }
    }
    return text;
  }

  /** A part of a text in double quotes, as {@link #quote(String)} shows it. */
  public static String quote(String text, int start, int end) {
    return quote(text.substring(start, end));
  }

  /** In double quotes, made visible, shortened to what a message bears. */
  public static String quote(String text) {
    if (text.codePointCount(0, text.length()) <= QUOTED_CHARACTERS) {
      return '"' + of(text) + '"';
    }
    int end = text.offsetByCodePoints(0, QUOTED_CHARACTERS);
    return '"' + of(text.substring(0, end)) + "…\"";
  }

  private static String visible(String text) {
    var shown = new StringBuilder(text.length() + 16);
    text.codePoints().forEach(c -> shown.append(show(c)));
    return shown.toString();
  }

  /** One character as it may be printed. */
  public static String show(int character) {
    if (character == '\t') {
      return " ";
    }
    return isPrintable(character) ? Character.toString(character) : code(character);
  }

  /** The usual way to name a character. */
  public static String code(int character) {
    return String.format("U+%04X", character);
  }

  public static boolean isPrintable(int character) {
    return !isHarmful(character)
        && (character == ' ' || Character.getType(character) != Character.SPACE_SEPARATOR);
  }

  /** Whether a character acts on a terminal or on the order of text instead of being seen. */
  public static boolean isHarmful(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          true;
      default -> false;
    };
  }

  /** A character as programmers write it, within a line that is shown as it is otherwise. */
  public static String escape(int character) {
    return switch (character) {
      case '\n' -> "\\n";
      case '\t' -> "\\t";
      default ->
          character < 0x100
              ? "\\x" + HexFormat.of().toHexDigits((byte) character)
              : "\\u{" + Integer.toHexString(character) + "}";
    };
  }

  /** How many terminal cells a printable character takes. */
  public static int cells(int character) {
    if (character < 0x300) {
      return 1;
    }
    int type = Character.getType(character);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return isWide(character) ? 2 : 1;
  }

  /** East Asian wide and full-width blocks, and the emoji, as terminals draw them. */
  private static boolean isWide(int c) {
    return (c >= 0x1100 && c <= 0x115F)
        || (c >= 0x2E80 && c <= 0xA4CF && c != 0x303F)
        || (c >= 0xAC00 && c <= 0xD7A3)
        || (c >= 0xF900 && c <= 0xFAFF)
        || (c >= 0xFE30 && c <= 0xFE6F)
        || (c >= 0xFF00 && c <= 0xFF60)
        || (c >= 0xFFE0 && c <= 0xFFE6)
        || (c >= 0x1F300 && c <= 0x1F64F)
        || (c >= 0x1F680 && c <= 0x1F6FF)
        || (c >= 0x1F900 && c <= 0x1FAFF)
        || (c >= 0x20000 && c <= 0x3FFFD);
  }
}
