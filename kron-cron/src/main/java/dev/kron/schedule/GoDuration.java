package dev.kron.schedule;

import dev.kron.text.VisibleText;
import org.jspecify.annotations.Nullable;

/**
 * Durations as Go writes and reads them: {@code 1h30m}, {@code 1.5h}, {@code 250ms}, {@code 0}.
 *
 * <p>Reading follows {@code time.ParseDuration} to the nanosecond, so that a text means the same in
 * both worlds: integer parts are exact, a fraction is scaled in double arithmetic and cut, and its
 * digits beyond the nineteenth are passed over. One difference: the micro sign is not a unit here,
 * only {@code us} is. Writing follows {@code Duration.String} with the same exception.
 */
public final class GoDuration {
  private static final String FORM =
      "a duration is a sequence of numbers, each with a unit ns, us, ms, s, m or h, such as 1h30m,"
          + " 1.5h or 90s";

  /** 2^63 as an unsigned number: the first magnitude that does not fit. */
  private static final long LIMIT = Long.MIN_VALUE;

  private GoDuration() {}

  /**
   * The nanoseconds that a text stands for.
   *
   * @throws IllegalArgumentException whose message quotes the text and says what was expected
   */
  public static long parseNanos(String text) {
    Reading reading = new Reading(text, 0, text.length());
    long nanos = reading.read();
    String problem = reading.problem;
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    return nanos;
  }

  /** The text of a number of nanoseconds, such as {@code 1h30m0s}, {@code 1.5s} or {@code 0s}. */
  public static String format(long nanos) {
    if (nanos == 0) {
      return "0s";
    }
    StringBuilder text = new StringBuilder(24);
    if (nanos < 0) {
      text.append('-');
    }
    long magnitude = Math.abs(nanos); // Long.MIN_VALUE stays, and is right as an unsigned number
    if (Long.compareUnsigned(magnitude, 1_000_000_000) < 0) {
      return formatSmall(text, magnitude);
    }
    long seconds = Long.divideUnsigned(magnitude, 1_000_000_000);
    long fraction = Long.remainderUnsigned(magnitude, 1_000_000_000);
    if (seconds >= 3600) {
      text.append(seconds / 3600).append('h');
    }
    if (seconds >= 60) {
      text.append(seconds / 60 % 60).append('m');
    }
    text.append(seconds % 60);
    appendFraction(text, fraction, 9);
    return text.append('s').toString();
  }

  private static String formatSmall(StringBuilder text, long nanos) {
    if (nanos < 1_000) {
      return text.append(nanos).append("ns").toString();
    }
    if (nanos < 1_000_000) {
      text.append(nanos / 1_000);
      appendFraction(text, nanos % 1_000, 3);
      return text.append("us").toString();
    }
    text.append(nanos / 1_000_000);
    appendFraction(text, nanos % 1_000_000, 6);
    return text.append("ms").toString();
  }

  private static void appendFraction(StringBuilder text, long fraction, int digits) {
    if (fraction == 0) {
      return;
    }
    text.append('.');
    int end = text.length() + digits;
    String significant = Long.toString(fraction);
    text.repeat('0', digits - significant.length()).append(significant);
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    text.setLength(end);
  }

  /** One pass over a part of a text; {@link #problem} says why it is not a duration. */
  static final class Reading {
    private final String text;
    private final int start;
    private final int end;
    private int at;
    private long fraction;
    private double scale;
    @Nullable String problem;
    int problemOffset;

    Reading(String text, int start, int end) {
      this.text = text;
      this.start = start;
      this.end = end;
      this.at = start;
    }

    /** Nanoseconds, or an unspecified number where {@link #problem} is set. */
    long read() {
      if (at == end) {
        return fail(start, "a duration is missing here; " + FORM);
      }
      char sign = text.charAt(at);
      if (sign == '-' || sign == '+') {
        at++;
      }
      if (end - at == 1 && text.charAt(at) == '0') {
        return 0;
      }
      if (at == end) {
        return fail(start, quoted() + " is not a duration; " + FORM);
      }
      long sum = 0;
      while (at < end && problem == null) {
        long term = term();
        if (problem == null) {
          sum += term;
          if (Long.compareUnsigned(sum, LIMIT) > 0) {
            return overflow();
          }
        }
      }
      if (problem != null) {
        return 0;
      }
      if (sign == '-') {
        return -sum;
      }
      return sum == LIMIT ? overflow() : sum;
    }

    private long term() {
      int termStart = at;
      long whole = wholeNumber();
      if (problem != null) {
        return 0;
      }
      boolean digits = at > termStart;
      fraction = 0;
      scale = 1;
      if (at < end && text.charAt(at) == '.') {
        at++;
        int fractionStart = at;
        fraction();
        digits |= at > fractionStart;
      }
      if (!digits) {
        return fail(termStart, quoted() + " is not a duration; " + FORM);
      }
      int unitStart = at;
      long unit = unit();
      if (unit == 0) {
        return fail(unitStart, badUnit(termStart, unitStart));
      }
      if (Long.compareUnsigned(whole, Long.divideUnsigned(LIMIT, unit)) > 0) {
        return overflow();
      }
      long term = whole * unit;
      if (fraction != 0) {
        double digitsAsDouble = fraction == LIMIT ? 0x1p63 : (double) fraction;
        term += (long) (digitsAsDouble * (unit / scale));
        if (Long.compareUnsigned(term, LIMIT) > 0) {
          return overflow();
        }
      }
      return term;
    }

    private long wholeNumber() {
      long number = 0;
      for (; at < end; at++) {
        int digit = text.charAt(at) - '0';
        if (digit < 0 || digit > 9) {
          break;
        }
        if (Long.compareUnsigned(number, Long.divideUnsigned(LIMIT, 10)) > 0) {
          return overflow();
        }
        number = number * 10 + digit;
        if (Long.compareUnsigned(number, LIMIT) > 0) {
          return overflow();
        }
      }
      return number;
    }

    private void fraction() {
      boolean full = false;
      for (; at < end; at++) {
        int digit = text.charAt(at) - '0';
        if (digit < 0 || digit > 9) {
          return;
        }
        full |= Long.compareUnsigned(fraction, Long.MAX_VALUE / 10) > 0;
        long longer = fraction * 10 + digit;
        full |= Long.compareUnsigned(longer, LIMIT) > 0;
        if (!full) {
          fraction = longer;
          scale *= 10;
        }
      }
    }

    /** The unit's nanoseconds; 0 where there is none. */
    private long unit() {
      int unitStart = at;
      while (at < end && text.charAt(at) != '.' && !isDigit(text.charAt(at))) {
        at++;
      }
      char first = at > unitStart ? text.charAt(unitStart) : 0;
      if (at - unitStart == 1) {
        return switch (first) {
          case 's' -> 1_000_000_000L;
          case 'm' -> 60_000_000_000L;
          case 'h' -> 3_600_000_000_000L;
          default -> 0;
        };
      }
      if (at - unitStart == 2 && text.charAt(unitStart + 1) == 's') {
        return switch (first) {
          case 'n' -> 1L;
          case 'u' -> 1_000L;
          case 'm' -> 1_000_000L;
          default -> 0;
        };
      }
      return 0;
    }

    private String badUnit(int termStart, int unitStart) {
      String number = text.substring(termStart, unitStart);
      if (at == unitStart) {
        return quoted()
            + " lacks a unit after "
            + VisibleText.quote(number)
            + "; write "
            + VisibleText.quote(number + "s")
            + " or "
            + VisibleText.quote(number + "m")
            + ": "
            + FORM;
      }
      String unit = text.substring(unitStart, at);
      String meant =
          switch (unit) {
            case "\u00b5s", "\u03bcs" -> "us";
            case "sec", "secs", "second", "seconds", "S" -> "s";
            case "min", "mins", "minute", "minutes", "M" -> "m";
            case "hr", "hrs", "hour", "hours", "H" -> "h";
            default -> "";
          };
      String advice =
          switch (unit) {
            case "d", "day", "days" -> " (a day is 24h)";
            case "w", "week", "weeks" -> " (a week is 168h)";
            default ->
                meant.isEmpty() ? "" : " (did you mean " + VisibleText.quote(number + meant) + "?)";
          };
      return "unknown unit " + VisibleText.quote(unit) + " in " + quoted() + advice + "; " + FORM;
    }

    private long overflow() {
      return fail(
          start, quoted() + " is too long; the longest duration is 2562047h47m16.854775807s");
    }

    private long fail(int offset, String message) {
      problem = message;
      problemOffset = offset;
      return 0;
    }

    private String quoted() {
      return VisibleText.quote(text, start, end);
    }

    private static boolean isDigit(char c) {
      return c >= '0' && c <= '9';
    }
  }
}
