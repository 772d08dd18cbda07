package dev.kron.cron;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The slow and obvious way: walks over the local days and minutes one by one and asks java.time for
 * the instants of each. Reads plain lists and ranges of numbers only, with a parser of its own.
 */
record BruteForce(
    Set<Integer> minutes,
    Set<Integer> hours,
    Set<Integer> days,
    Set<Integer> months,
    Set<Integer> weekdays,
    boolean anyDay,
    boolean anyWeekday,
    ZoneId zone) {
  /** More than any zone ever moved its clocks, there and back. */
  private static final int REACH_DAYS = 2;

  static BruteForce of(String expression, ZoneId zone) {
    String[] fields = expression.split(" ");
    return new BruteForce(
        values(fields[0], 0, 59),
        values(fields[1], 0, 23),
        values(fields[2], 1, 31),
        values(fields[3], 1, 12),
        values(fields[4], 0, 6),
        fields[2].equals("*"),
        fields[4].equals("*"),
        zone);
  }

  private static Set<Integer> values(String field, int min, int max) {
    return Arrays.stream(field.split(","))
        .flatMapToInt(
            element -> {
              if (element.equals("*")) {
                return IntStream.rangeClosed(min, max);
              }
              String[] ends = element.split("-");
              return IntStream.rangeClosed(
                  Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
            })
        .boxed()
        .collect(Collectors.toSet());
  }

  boolean matches(LocalDate date) {
    boolean day = days.contains(date.getDayOfMonth());
    boolean weekday =
        weekdays.contains(
            date.getDayOfWeek() == DayOfWeek.SUNDAY ? 0 : date.getDayOfWeek().getValue());
    boolean either = (anyDay || anyWeekday) ? day && weekday : day || weekday;
    return months.contains(date.getMonthValue()) && either;
  }

  /** The first match after {@code second}, looking no further than {@code limitDays}. */
  long next(long second, int limitDays) {
    LocalDate date = localDate(second).minusDays(REACH_DAYS);
    for (int i = 0; i < limitDays; i++, date = date.plusDays(1)) {
      if (matches(date)) {
        var found = new TreeSet<Long>();
        for (int j = 0; j <= 2 * REACH_DAYS; j++) {
          found.addAll(instants(date.plusDays(j)));
        }
        Long next = found.higher(second);
        if (next != null) {
          return next;
        }
      }
    }
    return CronCalendar.NONE;
  }

  /** The last match at or before {@code second}, looking no further than {@code limitDays}. */
  long previous(long second, int limitDays) {
    LocalDate date = localDate(second).plusDays(REACH_DAYS);
    for (int i = 0; i < limitDays; i++, date = date.minusDays(1)) {
      if (matches(date)) {
        var found = new TreeSet<Long>();
        for (int j = 0; j <= 2 * REACH_DAYS; j++) {
          found.addAll(instants(date.minusDays(j)));
        }
        Long previous = found.floor(second);
        if (previous != null) {
          return previous;
        }
      }
    }
    return CronCalendar.NONE;
  }

  private LocalDate localDate(long second) {
    return LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC).toLocalDate();
  }

  private Set<Long> instants(LocalDate date) {
    var result = new TreeSet<Long>();
    if (!matches(date)) {
      return result;
    }
    for (int hour = 0; hour < 24; hour++) {
      for (int minute = 0; minute < 60; minute++) {
        if (hours.contains(hour) && minutes.contains(minute)) {
          LocalDateTime local = LocalDateTime.of(date, LocalTime.of(hour, minute));
          for (ZoneOffset offset : zone.getRules().getValidOffsets(local)) {
            result.add(local.toEpochSecond(offset));
          }
        }
      }
    }
    return result;
  }
}
