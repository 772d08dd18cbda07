package dev.kron.cron;

import java.util.StringJoiner;

/**
 * Days that are counted within their month: from its end ({@code L}, {@code L-3}), or by weekday
 * ({@code 5#3} is the third Friday, {@code 5L} the last). Immutable.
 *
 * @param fromEnd bit n is the day n days before the month's last
 * @param byWeekday seven bits, Sunday first, for each of the first to the fifth, then for the last
 */
record CountedDays(int fromEnd, long byWeekday) {
  static final CountedDays NONE = new CountedDays(0, 0);

  /** How often a weekday can come in a month. */
  static final int MOST_OFTEN = 5;

  private static final int WEEK = 7;
  private static final long ONE_WEEK = 127;
  private static final long FIFTH = ONE_WEEK << ((MOST_OFTEN - 1) * WEEK);

  /** The nth of a weekday, n from 1. */
  static long nth(int weekday, int n) {
    return 1L << ((n - 1) * WEEK + weekday);
  }

  /** The last of a weekday. */
  static long last(int weekday) {
    return 1L << (MOST_OFTEN * WEEK + weekday);
  }

  boolean isEmpty() {
    return (fromEnd | byWeekday) == 0;
  }

  /** The days of a month, bit 1 for the first; those past its end are not cut off. */
  int of(int length, int weekdayOfFirst) {
    long days = Integer.toUnsignedLong(Integer.reverse(fromEnd) >>> (31 - length)) & ~1L;
    if (byWeekday != 0) {
      for (int n = 0; n < MOST_OFTEN; n++) {
        days |= from(weekdayOfFirst, n) << (n * WEEK + 1);
      }
      days |= from((weekdayOfFirst + length) % WEEK, MOST_OFTEN) << (length - WEEK + 1);
    }
    return (int) days;
  }

  /** The bits of one week, turned so that it begins with a given weekday. */
  private long from(int weekday, int week) {
    long bits = (byWeekday >>> (week * WEEK)) & ONE_WEEK;
    return (((bits << WEEK) | bits) >>> weekday) & ONE_WEEK;
  }

  /** Whether a month of this length has such a day in some year. */
  boolean mayBeIn(int length) {
    boolean counted = length > 28 ? byWeekday != 0 : (byWeekday & ~FIFTH) != 0;
    return counted || (fromEnd & CronField.bits(0, length - 1)) != 0;
  }

  /** The same without the weekdays that are wanted every week. */
  CountedDays without(int weekdays) {
    long covered = 0;
    for (int week = 0; week <= MOST_OFTEN; week++) {
      covered |= (long) weekdays << (week * WEEK);
    }
    return new CountedDays(fromEnd, byWeekday & ~covered);
  }

  /** Weekdays of which each one of a month is named: they are wanted every week. */
  int everyWeek() {
    long all = ONE_WEEK;
    for (int week = 0; week < MOST_OFTEN; week++) {
      all &= byWeekday >>> (week * WEEK);
    }
    return (int) all;
  }

  void addDaysTo(StringJoiner text) {
    for (int left = fromEnd; left != 0; left &= left - 1) {
      int before = Integer.numberOfTrailingZeros(left);
      text.add(before == 0 ? "L" : "L-" + before);
    }
  }

  void addWeekdaysTo(StringJoiner text) {
    for (long left = byWeekday; left != 0; left &= left - 1) {
      int bit = Long.numberOfTrailingZeros(left);
      int n = bit / WEEK + 1;
      text.add(bit % WEEK + (n > MOST_OFTEN ? "L" : "#" + n));
    }
  }
}
