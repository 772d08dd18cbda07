package dev.kron.schedule;

import java.util.List;
import java.util.StringJoiner;
import java.util.function.IntFunction;

/** Writes the values of constraint clauses. */
final class ClauseText {
  static final List<String> DAY_NAMES = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

  /** January is the element 1. */
  static final List<String> MONTH_NAMES =
      List.of(
          "", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");

  static final IntFunction<String> NUMBERS = Integer::toString;
  static final IntFunction<String> DAYS = DAY_NAMES::get;
  static final IntFunction<String> MONTHS = MONTH_NAMES::get;

  private ClauseText() {}

  static String set(String key, int bits, int first, int last, IntFunction<String> name) {
    StringJoiner text = new StringJoiner(",", key, "");
    for (int from = first; from <= last; from++) {
      if ((bits & (1 << from)) == 0) {
        continue;
      }
      int to = from;
      while (to < last && (bits & (1 << (to + 1))) != 0) {
        to++;
      }
      text.add(to == from ? name.apply(from) : name.apply(from) + "-" + name.apply(to));
      from = to;
    }
    return text.toString();
  }

  static String minutes(int[] ranges) {
    StringJoiner text = new StringJoiner(";");
    for (int i = 0; i < ranges.length; i += 2) {
      text.add("between=" + minute(ranges[i]) + "-" + minute(ranges[i + 1]));
    }
    return text.toString();
  }

  static String dates(long[] ranges) {
    StringJoiner text = new StringJoiner(";");
    for (int i = 0; i < ranges.length; i += 2) {
      text.add(
          ranges[i] == ranges[i + 1]
              ? "date=" + date(ranges[i])
              : "dates=" + date(ranges[i]) + ".." + date(ranges[i + 1]));
    }
    return text.toString();
  }

  static String minute(int minuteOfDay) {
    return twoDigits(minuteOfDay / 60) + ":" + twoDigits(minuteOfDay % 60);
  }

  static String date(long epochDay) {
    long date = CivilDay.of(epochDay);
    int year = CivilDay.year(date);
    return twoDigits(year / 100)
        + twoDigits(year % 100)
        + "-"
        + twoDigits(CivilDay.month(date))
        + "-"
        + twoDigits(CivilDay.day(date));
  }

  private static String twoDigits(int number) {
    return number < 10 ? "0" + number : Integer.toString(number);
  }
}
