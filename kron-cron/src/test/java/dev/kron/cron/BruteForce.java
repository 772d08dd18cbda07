package dev.kron.cron;

import static java.time.temporal.TemporalAdjusters.lastDayOfMonth;
import static java.time.temporal.TemporalAdjusters.lastInMonth;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The slow and obvious way: walks over the local days and minutes one by one and asks java.time for
 * the instants of each. Reads plain lists and ranges of numbers only, and days that are counted
 * within their month, with a parser of its own.
 */
record BruteForce(
    Set<Integer> minutes,
    Set<Integer> hours,
    Set<Integer> days,
    Set<Integer> months,
    Set<Integer> weekdays,
    boolean anyDay,
    boolean anyWeekday,
    List<Predicate<LocalDate>> counted,
    ZoneId zone) {
  /** No offset is larger, so the instant of a local time is at most this far from it. */
  private static final long REACH_SECONDS = 18 * 3600;

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
        Stream.of(fields[2], fields[4])
            .flatMap(field -> Arrays.stream(field.split(",")))
            .filter(BruteForce::isCounted)
            .map(BruteForce::counted)
            .toList(),
        zone);
  }

  private static boolean isCounted(String element) {
    return element.contains("L") || element.contains("#");
  }

  private static Predicate<LocalDate> counted(String element) {
    if (element.startsWith("L")) {
      int before = element.equals("L") ? 0 : Integer.parseInt(element.substring(2));
      return date -> date.equals(date.with(lastDayOfMonth()).minusDays(before));
    }
    DayOfWeek weekday = DayOfWeek.of((element.charAt(0) - '0' + 6) % 7 + 1);
    if (element.endsWith("L")) {
      return date -> date.equals(date.with(lastInMonth(weekday)));
    }
    int n = element.charAt(2) - '0';
    return date -> date.getDayOfWeek() == weekday && (date.getDayOfMonth() + 6) / 7 == n;
  }

  private static Set<Integer> values(String field, int min, int max) {
    return Arrays.stream(field.split(","))
        .filter(element -> !isCounted(element))
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
    boolean isCounted = counted.stream().anyMatch(rule -> rule.test(date));
    boolean either = isCounted || ((anyDay || anyWeekday) ? day && weekday : day || weekday);
    return months.contains(date.getMonthValue()) && either;
  }

  /** The first match after {@code second}, looking no further than {@code limitDays}. */
  long next(long second, int limitDays) {
    LocalDate first = utcDate(second - REACH_SECONDS);
    for (int i = 0; i < limitDays; i++) {
      Long next = instants(first.plusDays(i), second + 1, Long.MAX_VALUE).ceiling(second + 1);
      if (next != null) {
        // The days after it, too: clocks that were set back bring them nearer than they look.
        var all = new TreeSet<Long>(List.of(next));
        all.addAll(instants(first.plusDays(i + 1), second + 1, next));
        all.addAll(instants(first.plusDays(i + 2), second + 1, next));
        return all.first();
      }
    }
    return CronCalendar.NONE;
  }

  /** The last match at or before {@code second}, looking no further than {@code limitDays}. */
  long previous(long second, int limitDays) {
    LocalDate last = utcDate(second + REACH_SECONDS);
    for (int i = 0; i < limitDays; i++) {
      Long previous = instants(last.minusDays(i), Long.MIN_VALUE, second).floor(second);
      if (previous != null) {
        var all = new TreeSet<Long>(List.of(previous));
        all.addAll(instants(last.minusDays(i + 1), previous, second));
        all.addAll(instants(last.minusDays(i + 2), previous, second));
        return all.last();
      }
    }
    return CronCalendar.NONE;
  }

  private static LocalDate utcDate(long second) {
    return LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC).toLocalDate();
  }

  /** The matches of a local day that lie between two instants, both in. */
  private TreeSet<Long> instants(LocalDate date, long from, long to) {
    var result = new TreeSet<Long>();
    if (!matches(date)) {
      return result;
    }
    for (int hour : hours) {
      for (int minute : minutes) {
        LocalDateTime local = LocalDateTime.of(date, LocalTime.of(hour, minute));
        long asUtc = local.toEpochSecond(ZoneOffset.UTC);
        boolean maybe = asUtc + REACH_SECONDS >= from && asUtc - REACH_SECONDS <= to;
        for (ZoneOffset offset : maybe ? validOffsets(local) : List.<ZoneOffset>of()) {
          long instant = local.toEpochSecond(offset);
          if (instant >= from && instant <= to) {
            result.add(instant);
          }
        }
      }
    }
    return result;
  }

  private List<ZoneOffset> validOffsets(LocalDateTime local) {
    return zone.getRules().getValidOffsets(local);
  }
}
