package dev.kron.schedule;

import java.util.HexFormat;

/** Quotes a piece of somebody's text in a message: visible, on one line, and not too long. */
final class Quote {
  private static final int LONGEST = 60;

  private Quote() {}

  static String of(String text) {
    return of(text, 0, text.length());
  }

  static String of(String text, int start, int end) {
    int length = end - start;
    StringBuilder quoted = new StringBuilder(Math.min(length, LONGEST) + 3).append('"');
    append(quoted, text, start, length > LONGEST ? start + LONGEST : end);
    return quoted.append(length > LONGEST ? "\u2026\"" : "\"").toString();
  }

  /** A whole message that may hold somebody's text, made visible in the same way. */
  static String printable(String message) {
    StringBuilder printable = new StringBuilder(message.length());
    append(printable, message, 0, message.length());
    return printable.toString();
  }

  private static void append(StringBuilder to, String text, int start, int end) {
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if (c == '\t') {
        to.append("\\t");
      } else if (Character.isISOControl(c) || (Character.isSurrogate(c) && isLone(text, i, end))) {
        to.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        to.append(c);
      }
    }
  }

  private static boolean isLone(String text, int i, int end) {
    char c = text.charAt(i);
    return Character.isHighSurrogate(c)
        ? i + 1 >= end || !Character.isLowSurrogate(text.charAt(i + 1))
        : i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
  }
}
