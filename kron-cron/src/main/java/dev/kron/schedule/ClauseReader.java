package dev.kron.schedule;

import dev.kron.text.Suggestion;
import java.util.Arrays;
import java.util.List;

/** Reads the bodies of all {@code @only} or all {@code @avoid} of a schedule and merges them. */
final class ClauseReader {
  private static final List<String> KEYS =
      List.of("hours", "dow", "dom", "months", "between", "date", "dates");

  private static final long NO_DATE = Long.MIN_VALUE;

  private final String text;
  private final Report report;
  private int hours;
  private int daysOfWeek;
  private int daysOfMonth;
  private int months;
  private long[] minutes = {};
  private long[] dates = {};

  ClauseReader(String text, Report report) {
    this.text = text;
    this.report = report;
  }

  /** Reads one body, {@code key=value} clauses with semicolons between them. */
  void read(int bodyStart, int bodyEnd) {
    int start = bodyStart;
    while (start <= bodyEnd) {
      int semicolon = text.indexOf(';', start);
      int end = semicolon < 0 || semicolon > bodyEnd ? bodyEnd : semicolon;
      readClause(start, end);
      start = end + 1;
    }
  }

  Clauses clauses() {
    return new Clauses(
        hours,
        daysOfWeek,
        daysOfMonth,
        months,
        Arrays.stream(merged(minutes)).mapToInt(Math::toIntExact).toArray(),
        merged(dates));
  }

  private void readClause(int start, int end) {
    int equals = text.indexOf('=', start);
    if (equals < 0 || equals >= end) {
      report.add(
          start,
          (start == end ? "a clause is missing here" : quote(start, end) + " is no clause")
              + "; expected one such as hours=9-17, dow=MON-FRI, dom=1,15, months=JAN,"
              + " between=09:00-17:30, date=2026-12-24 or dates=2026-12-24..2026-12-31");
      return;
    }
    int value = equals + 1;
    String key = text.substring(start, equals);
    switch (key) {
      case "hours" -> hours |= readSet(ClauseSet.HOURS, start, value, end);
      case "dow" -> daysOfWeek |= readSet(ClauseSet.DAYS_OF_WEEK, start, value, end);
      case "dom" -> daysOfMonth |= readSet(ClauseSet.DAYS_OF_MONTH, start, value, end);
      case "months" -> months |= readSet(ClauseSet.MONTHS, start, value, end);
      case "between" -> readBetween(start, value, end);
      case "date" -> {
        long day = readDate(start, value, value, end);
        addDates(day, day);
      }
      case "dates" -> readDates(start, value, end);
      default ->
          report.add(
              start,
              "unknown clause "
                  + quote(start, end)
                  + Suggestion.didYouMean(key, KEYS, "")
                  + "; known are "
                  + Arguments.anyOf(KEYS));
    }
  }

  /** A list of values and ranges as bits; what is wrong is reported and left out. */
  private int readSet(ClauseSet set, int clause, int value, int end) {
    int bits = 0;
    int start = value;
    while (start <= end) {
      int comma = text.indexOf(',', start);
      int itemEnd = comma < 0 || comma > end ? end : comma;
      bits |= readItem(set, clause, start, itemEnd, end);
      start = itemEnd + 1;
    }
    return set == ClauseSet.DAYS_OF_WEEK ? (bits | (bits >>> 7)) & 0x7f : bits;
  }

  private int readItem(ClauseSet set, int clause, int start, int end, int clauseEnd) {
    int dash = text.indexOf('-', start);
    boolean isRange = dash >= 0 && dash < end;
    int first = set.value(text, start, isRange ? dash : end);
    int last = isRange ? set.value(text, dash + 1, end) : first;
    if (first < 0 || last < 0) {
      report.add(
          start,
          (start == end ? "a value is missing" : quote(start, end) + " is not allowed")
              + " in "
              + quote(clause, clauseEnd)
              + "; "
              + set.allowed());
      return 0;
    }
    if (first > last) {
      report.add(
          start,
          quote(start, end)
              + " runs backwards; write it as two clauses: "
              + set.twoClauses(first, last));
      return 0;
    }
    return (int) ((1L << (last + 1)) - (1L << first));
  }

  private void readBetween(int clause, int value, int end) {
    int first = end - value == 11 ? readMinute(value) : -1;
    int last = end - value == 11 ? readMinute(value + 6) : -1;
    if (first < 0 || last < 0 || text.charAt(value + 5) != '-') {
      report.add(
          value,
          quote(clause, end)
              + " is not understood; write between=hh:mm-hh:mm with times from 00:00 to 23:59, one"
              + " range a clause, such as between=09:00-12:00;between=13:30-17:59");
    } else if (first > last) {
      report.add(
          value,
          quote(clause, end)
              + " runs past midnight; write it as two clauses: between="
              + text.substring(value, value + 5)
              + "-23:59;between=00:00-"
              + text.substring(value + 6, end));
    } else {
      minutes = with(minutes, first, last);
    }
  }

  /** Minutes from midnight, or a negative number. */
  private int readMinute(int at) {
    int hour = digits(at, 2);
    int minute = digits(at + 3, 2);
    return hour < 0 || hour > 23 || minute < 0 || minute > 59 || text.charAt(at + 2) != ':'
        ? -1
        : hour * 60 + minute;
  }

  private void readDates(int clause, int value, int end) {
    int dots = text.indexOf("..", value);
    if (dots < 0 || dots >= end) {
      report.add(
          value,
          quote(clause, end)
              + " is no range of days; write dates=2026-12-24..2026-12-31, or date= for one day");
      return;
    }
    long first = readDate(clause, value, value, dots);
    long last = readDate(clause, value, dots + 2, end);
    if (first != NO_DATE && last != NO_DATE && first > last) {
      report.add(
          value,
          quote(clause, end)
              + " ends before it begins; write the earlier day first: dates="
              + text.substring(dots + 2, end)
              + ".."
              + text.substring(value, dots));
    } else {
      addDates(first, last);
    }
  }

  private long readDate(int clause, int value, int start, int end) {
    boolean formed =
        end - start == 10 && text.charAt(start + 4) == '-' && text.charAt(start + 7) == '-';
    int year = formed ? digits(start, 4) : -1;
    int month = formed ? digits(start + 5, 2) : -1;
    int day = formed ? digits(start + 8, 2) : -1;
    if (year < 0 || month < 0 || day < 0) {
      report.add(
          start,
          quote(start, end)
              + " is no day, in "
              + quote(clause, Math.max(end, value))
              + "; write yyyy-mm-dd, one day or range a clause, such as 2026-12-24");
      return NO_DATE;
    }
    if (year == 0 || month < 1 || month > 12 || day < 1 || day > CivilDay.daysIn(year, month)) {
      report.add(start, quote(start, end) + " is a day that no calendar has");
      return NO_DATE;
    }
    return CivilDay.epochDay(year, month, day);
  }

  private void addDates(long first, long last) {
    if (first != NO_DATE && last != NO_DATE) {
      dates = with(dates, first, last);
    }
  }

  private int digits(int at, int count) {
    int number = 0;
    for (int i = at; i < at + count; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  private static long[] with(long[] ranges, long first, long last) {
    long[] longer = Arrays.copyOf(ranges, ranges.length + 2);
    longer[ranges.length] = first;
    longer[ranges.length + 1] = last;
    return longer;
  }

  /** The same values as sorted ranges that neither overlap nor touch. */
  private static long[] merged(long[] ranges) {
    if (ranges.length <= 2) {
      return ranges;
    }
    long[][] sorted = new long[ranges.length / 2][];
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] = new long[] {ranges[2 * i], ranges[2 * i + 1]};
    }
    Arrays.sort(sorted, (a, b) -> Long.compare(a[0], b[0]));
    long[] merged = new long[ranges.length];
    int length = 0;
    for (long[] range : sorted) {
      if (length > 0 && range[0] <= merged[length - 1] + 1) {
        merged[length - 1] = Math.max(merged[length - 1], range[1]);
      } else {
        merged[length++] = range[0];
        merged[length++] = range[1];
      }
    }
    return Arrays.copyOf(merged, length);
  }

  private String quote(int start, int end) {
    return report.quote(start, end);
  }
}
