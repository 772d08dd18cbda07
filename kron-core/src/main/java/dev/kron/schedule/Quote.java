package dev.kron.schedule;

/** Quotes a piece of somebody's text in a message: visible, on one line, and not too long. */
final class Quote {
  private static final int LONGEST = 60;

  private Quote() {}

  static String of(String text) {
    return of(text, 0, text.length());
  }

  static String of(String text, int start, int end) {
    StringBuilder quoted = new StringBuilder(Math.min(end - start, LONGEST) + 2).append('"');
    for (int i = start; i < end; i++) {
      if (i - start == LONGEST) {
        return quoted.append("\u2026\"").toString();
      }
      char c = text.charAt(i);
      if (c == '\t') {
        quoted.append("\\t");
      } else if (Character.isISOControl(c) || (Character.isSurrogate(c) && isLone(text, i))) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  private static boolean isLone(String text, int i) {
    char c = text.charAt(i);
    return Character.isHighSurrogate(c)
        ? i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))
        : i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
  }
}
