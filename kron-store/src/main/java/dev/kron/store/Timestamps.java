package dev.kron.store;

import dev.kron.cron.CronCalendar;
import java.time.Instant;

/**
 * Times as RFC 3339 in UTC: {@code 2026-03-01T00:00:00Z}, with a fraction if there is one. They are
 * parsed by hand and straight from the bytes, because a start with a hundred thousand jobs reads
 * half a million of them.
 */
final class Timestamps {
  /** The result of {@link #millis} for an empty text. */
  static final long EMPTY = Long.MIN_VALUE;

  private static final long FIRST_SECOND = -62_167_219_200L; // 0000-01-01T00:00:00Z
  private static final long LAST_SECOND = 253_402_300_799L; // 9999-12-31T23:59:59Z

  private static final String TEMPLATE = "0000-00-00T00:00:00";
  private static final int[] DAYS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  private Timestamps() {}

  /** Refuses a year of more than four digits. */
  static void requireSecond(long epochSecond) {
    if (epochSecond != CronCalendar.NONE
        && (epochSecond < FIRST_SECOND || epochSecond > LAST_SECOND)) {
      throw new IllegalArgumentException(
          "second " + epochSecond + " lies outside the years 0 to 9999");
    }
  }

  static void requireMillis(long epochMillis) {
    requireSecond(Math.floorDiv(epochMillis, 1000L));
  }

  /** A second as text; empty for {@link CronCalendar#NONE}. */
  static String ofSecond(long epochSecond) {
    return epochSecond == CronCalendar.NONE ? "" : Instant.ofEpochSecond(epochSecond).toString();
  }

  static String ofMillis(long epochMillis) {
    return Instant.ofEpochMilli(epochMillis).toString();
  }

  /** Parses epoch milliseconds and drops finer fractions; {@link #EMPTY} for an empty range. */
  static long millis(byte[] text, int start, int end) throws MalformedStateException {
    if (start == end) {
      return EMPTY;
    }
    int length = TEMPLATE.length();
    if (end - start < length + 1) {
      throw wrong(text, start, end);
    }
    for (int i = 0; i < length; i++) {
      char wanted = TEMPLATE.charAt(i);
      byte actual = text[start + i];
      if (wanted == '0' ? actual < '0' || actual > '9' : actual != wanted) {
        throw wrong(text, start, end);
      }
    }
    long seconds = seconds(text, start, end);
    int at = start + length;
    int millis = 0;
    if (text[at] == '.') {
      int scale = 100;
      int first = ++at;
      while (at < end && text[at] >= '0' && text[at] <= '9') {
        millis += (text[at++] - '0') * scale;
        scale /= 10;
      }
      if (at == first) {
        throw wrong(text, start, end);
      }
    }
    if (at != end - 1 || text[at] != 'Z') {
      throw wrong(text, start, end);
    }
    return seconds * 1000 + millis;
  }

  private static long seconds(byte[] text, int start, int end) throws MalformedStateException {
    int year = two(text, start) * 100 + two(text, start + 2);
    int month = two(text, start + 5);
    int day = two(text, start + 8);
    int hour = two(text, start + 11);
    int minute = two(text, start + 14);
    int second = two(text, start + 17);
    boolean leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month < 1
        || month > 12
        || day < 1
        || day > DAYS[month - 1] + (leap && month == 2 ? 1 : 0)
        || hour > 23
        || minute > 59
        || second > 59) {
      throw wrong(text, start, end);
    }
    // Days since 1970-01-01, computed with years that begin in March, so that a leap day is the
    // last day of its year.
    int marchYear = month > 2 ? year : year - 1;
    int marchMonth = month > 2 ? month - 3 : month + 9;
    long days =
        365L * marchYear
            + Math.floorDiv(marchYear, 4)
            - Math.floorDiv(marchYear, 100)
            + Math.floorDiv(marchYear, 400)
            + (153 * marchMonth + 2) / 5
            + day
            - 1
            - 719_468;
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
  }

  private static int two(byte[] text, int at) {
    return (text[at] - '0') * 10 + text[at + 1] - '0';
  }

  private static MalformedStateException wrong(byte[] text, int start, int end) {
    int shown = Math.min(end, start + 40);
    String quoted =
        new String(text, start, shown - start, java.nio.charset.StandardCharsets.ISO_8859_1);
    return new MalformedStateException("'" + quoted + "' is not an RFC 3339 time in UTC");
  }
}
