package dev.kron.cli.line;

/** Lengths of time on the command line: whole numbers with a unit, {@code 1h30m}, {@code 2d}. */
public final class Spans {
  private Spans() {}

  /**
   * Reads a length of time.
   *
   * @return seconds, not negative
   * @throws IllegalArgumentException where it is none
   */
  public static long seconds(String text) {
    long total = 0;
    int at = 0;
    if (text.isEmpty()) {
      throw new IllegalArgumentException("empty");
    }
    while (at < text.length()) {
      int start = at;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        at++;
      }
      long number = Long.parseLong(text, start, at, 10);
      if (at == text.length()) {
        throw new IllegalArgumentException("no unit");
      }
      total = Math.addExact(total, Math.multiplyExact(number, unit(text.charAt(at++))));
    }
    if (total > 366L * 86_400 * 10_000) {
      throw new IllegalArgumentException("too long");
    }
    return total;
  }

  private static long unit(char letter) {
    return switch (letter) {
      case 's' -> 1;
      case 'm' -> 60;
      case 'h' -> 3_600;
      case 'd' -> 86_400;
      default -> throw new IllegalArgumentException("unit " + letter);
    };
  }
}
