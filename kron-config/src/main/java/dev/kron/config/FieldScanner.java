package dev.kron.config;

import dev.kron.text.VisibleText;
import org.jspecify.annotations.Nullable;

/**
 * A scanner of the {@code key=value} fields of a line. Anything else is reported once, and skipped
 * in such a way that the rest of the line can still be checked.
 */
final class FieldScanner {
  private final Line line;
  private final String text;
  private int at;
  private boolean bareTokenSeen;

  private int keyStart;
  private int keyEnd;
  private int valueStart;
  private int valueEnd;
  private boolean quoted;
  private boolean escaped;
  private boolean valid;

  FieldScanner(Line line, int start) {
    this.line = line;
    this.text = line.text();
    this.at = start;
  }

  /** Moves to the next field; false at the end of the line. */
  boolean next() {
    while (true) {
      at = skipBlanks(text, at);
      if (at == text.length()) {
        return false;
      }
      if (text.charAt(at) == '#') {
        line.error(
            at, "comments after an entry are not supported: put the comment on a line of its own");
        at = text.length();
        return false;
      }
      int end = keyEnd(at);
      if (end < text.length() && text.charAt(end) == '=') {
        field(end);
        return true;
      }
      bareToken(end);
    }
  }

  /** The key; null if there is no such key. */
  @Nullable Key key() {
    return Key.at(text, keyStart, keyEnd);
  }

  String keyText() {
    return text.substring(keyStart, keyEnd);
  }

  int keyStart() {
    return keyStart;
  }

  /** Whether there is a value; false if its quoting is wrong, which was reported. */
  boolean hasValue() {
    return valid;
  }

  boolean isEmpty() {
    return valueStart == valueEnd;
  }

  /** The value without its quotes and escapes. */
  String value() {
    String raw = text.substring(valueStart, valueEnd);
    return escaped ? unescape(raw) : raw;
  }

  /** The value, shared with equal ones of other entries. */
  String value(Sharing sharing) {
    return escaped ? sharing.text(value()) : sharing.text(text, valueStart, valueEnd);
  }

  /** The offset at which the value begins, after its quote. */
  int valueStart() {
    return valueStart;
  }

  boolean quoted() {
    return quoted;
  }

  /** Whether the value contains escapes. */
  boolean escaped() {
    return escaped;
  }

  /** Whether there was a word that is no field, which may have been meant as the command. */
  boolean bareTokenSeen() {
    return bareTokenSeen;
  }

  /** The offset in the line of a character of the value. */
  int offsetOf(int index) {
    int offset = valueStart;
    for (int i = 0; i < index && offset < text.length(); i++) {
      offset += quoted && text.charAt(offset) == '\\' ? 2 : 1;
    }
    return Math.min(offset, text.length());
  }

  private void field(int equals) {
    keyStart = at;
    keyEnd = equals;
    valueStart = equals + 1;
    escaped = false;
    valid = true;
    quoted = valueStart < text.length() && text.charAt(valueStart) == '"';
    if (quoted) {
      valueStart++;
      quotedValue();
    } else {
      unquotedValue();
    }
  }

  private void unquotedValue() {
    int end = valueStart;
    while (end < text.length() && !isBlank(text.charAt(end)) && text.charAt(end) != '"') {
      end++;
    }
    if (end < text.length() && text.charAt(end) == '"') {
      valid = false;
      line.error(
          end,
          "a double quote inside an unquoted value: put the quotes around the whole value, as in "
              + VisibleText.of(shortened(keyText()))
              + "=\"...\", with \\\" for a quote inside");
      at = tokenEnd(end);
    } else if (end > valueStart && text.charAt(valueStart) == '\'') {
      valid = false;
      line.error(valueStart, "values are quoted with double quotes (\"), not with single ones (')");
      at = singleQuotedEnd(valueStart, end);
    } else {
      valueEnd = end;
      at = end;
    }
  }

  private void quotedValue() {
    int end = valueStart;
    while (end < text.length() && text.charAt(end) != '"') {
      if (text.charAt(end) != '\\') {
        end++;
        continue;
      }
      escaped = true;
      if (!isEscape(end)) {
        valid = false;
        line.error(end, notAnEscape(end));
      }
      end += 2;
    }
    if (end >= text.length()) {
      line.error(valueStart - 1, "the quote that opens here is never closed");
      valid = false;
      at = text.length();
      return;
    }
    valueEnd = end;
    at = end + 1;
    if (at < text.length() && !isBlank(text.charAt(at))) {
      line.error(at, "a space must follow the closing quote");
      at = tokenEnd(at);
      valid = false;
    }
  }

  private boolean isEscape(int backslash) {
    if (backslash + 1 == text.length()) {
      return true; // then the quote is not closed either, and that is what will be said
    }
    char next = text.charAt(backslash + 1);
    return next == '"' || next == '\\';
  }

  private String notAnEscape(int backslash) {
    String written = Character.toString(text.codePointAt(backslash + 1));
    return "\\"
        + VisibleText.show(written.codePointAt(0))
        + " is no escape: only \\\" and \\\\ are; write \\\\ for a backslash";
  }

  private static String unescape(String raw) {
    var plain = new StringBuilder(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      if (raw.charAt(i) == '\\') {
        i++;
      }
      plain.append(raw.charAt(i));
    }
    return plain.toString();
  }

  /** Reports a word that is no field, once a line: further words would only repeat the message. */
  private void bareToken(int end) {
    int start = at;
    at = tokenEnd(end);
    int next = skipBlanks(text, at);
    boolean spacedEquals = next < text.length() && text.charAt(next) == '=';
    if (text.charAt(start) == '@') {
      line.error(
          start,
          VisibleText.quote(text.substring(start, at))
              + " must stand in the schedule, before the first key=value field");
    } else if (spacedEquals) {
      line.error(
          next, "no space may stand before or after \"=\": write " + fieldShape(start, at, next));
      at = tokenEnd(skipBlanks(text, next + 1));
    } else if (!bareTokenSeen) {
      bareTokenSeen = true;
      line.error(
          start,
          "expected key=value, found "
              + VisibleText.quote(text.substring(start, at))
              + "; a value with spaces needs double quotes, as in command=\"/bin/echo hello\"");
    }
  }

  private String fieldShape(int start, int end, int equals) {
    int from = skipBlanks(text, equals + 1);
    String written = text.substring(from, tokenEnd(from));
    return VisibleText.of(shortened(text.substring(start, end)) + "=" + shortened(written));
  }

  private int keyEnd(int from) {
    int end = from;
    while (end < text.length()) {
      char c = text.charAt(end);
      if (c == '=' || c == '"' || isBlank(c)) {
        break;
      }
      end++;
    }
    return end;
  }

  /** The end of a token; blanks within quotes do not end it. */
  private int tokenEnd(int from) {
    int end = from;
    boolean inQuotes = false;
    while (end < text.length()) {
      char c = text.charAt(end);
      if (c == '\\' && inQuotes) {
        end++;
      } else if (c == '"') {
        inQuotes = !inQuotes;
      } else if (isBlank(c) && !inQuotes) {
        break;
      }
      end++;
    }
    return Math.min(end, text.length());
  }

  /** The probable end of a value in single quotes, so that its words are not taken for fields. */
  private int singleQuotedEnd(int open, int tokenEnd) {
    int close = text.indexOf('\'', open + 1);
    boolean plausible =
        close >= 0 && (close + 1 == text.length() || isBlank(text.charAt(close + 1)));
    return plausible ? close + 1 : tokenEnd;
  }

  private static String shortened(String text) {
    return text.length() <= 30 ? text : text.substring(0, text.offsetByCodePoints(0, 15)) + "…";
  }

  static int skipBlanks(String text, int from) {
    int at = from;
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
    return at;
  }

  static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
