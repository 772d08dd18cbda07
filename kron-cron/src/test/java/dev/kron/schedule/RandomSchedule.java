package dev.kron.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * A schedule made up at random, in parts that a test can reason about without reading its text.
 *
 * @param windowNanos what {@code windowText} stands for
 * @param parameter shape, lambda or, in seconds, sigma; 0 for the default
 * @param option dir or mu; empty for the default
 */
record RandomSchedule(
    String cron,
    String zone,
    String mode,
    long windowNanos,
    String windowText,
    String distribution,
    double parameter,
    String option,
    String strategy,
    String salt,
    List<Clause> only,
    List<Clause> avoid) {

  /**
   * A constraint clause.
   *
   * @param kind clauses of one kind add up
   */
  record Clause(String kind, String text, Predicate<ZonedDateTime> matches) {}

  private static final List<String> CRONS =
      List.of(
          "0 0 * * *",
          "*/7 * * * *",
          "15 3 * * 1-5",
          "30 2 * * *",
          "0 12 1,15 * 5",
          "59 23 31 * *");
  private static final List<String> ZONES =
      List.of(
          "UTC",
          "Europe/Paris",
          "America/New_York",
          "Australia/Lord_Howe",
          "Asia/Kathmandu",
          "Pacific/Apia",
          "America/St_Johns");
  private static final List<String> SALTS =
      List.of("", "backup", "a b", "quote \" and \\", "\u00fcml\u00e4ut", "\ud83d\ude80", "a=b;c");

  static RandomSchedule of(RandomGenerator random) {
    long[] units = {1_000_000_000L, 60_000_000_000L, 3_600_000_000_000L, 86_400_000_000_000L, 1L};
    long unit = units[random.nextInt(units.length)];
    long nanos =
        switch (random.nextInt(8)) {
          case 0 -> 0;
          case 1 -> random.nextLong(10_000_000_000L);
          case 2 -> random.nextLong(Window.LONGEST_NANOS);
          default -> Math.min(Window.LONGEST_NANOS, unit * random.nextLong(1, 100));
        };
    String distribution =
        pick(random, List.of("uniform", "skewEarly", "skewLate", "exponential", "normal"));
    return new RandomSchedule(
        pick(random, CRONS),
        pick(random, ZONES),
        pick(random, List.of("after", "before", "around", "center")),
        nanos,
        nanos + "ns",
        distribution,
        random.nextBoolean() ? 0 : parameter(random, distribution, nanos),
        random.nextBoolean() ? "" : option(random, distribution),
        pick(random, List.of("stable", "daily", "weekly")),
        pick(random, SALTS),
        clauses(random),
        clauses(random));
  }

  private static double parameter(RandomGenerator random, String distribution, long nanos) {
    return distribution.equals("normal")
        ? Math.max(1, nanos / 1_000_000_000 / random.nextInt(1, 20))
        : random.nextInt(1, 1000) / 100.0;
  }

  private static String option(RandomGenerator random, String distribution) {
    return switch (distribution) {
      case "exponential" -> pick(random, List.of("early", "late"));
      case "normal" -> pick(random, List.of("nominal", "start", "mid", "end"));
      default -> "";
    };
  }

  private static List<Clause> clauses(RandomGenerator random) {
    List<Clause> clauses = new ArrayList<>();
    while (random.nextInt(3) == 0) {
      clauses.add(clause(random));
    }
    return clauses;
  }

  private static Clause clause(RandomGenerator random) {
    return switch (random.nextInt(7)) {
      case 0 -> {
        int first = random.nextInt(24);
        int last = random.nextInt(first, 24);
        yield new Clause(
            "hours",
            "hours=" + first + "-" + last,
            time -> first <= time.getHour() && time.getHour() <= last);
      }
      case 1 -> {
        DayOfWeek day = DayOfWeek.of(random.nextInt(1, 8));
        String name = day.getDisplayName(TextStyle.SHORT, Locale.ROOT).toLowerCase(Locale.ROOT);
        String text = random.nextBoolean() ? name : Integer.toString(day.getValue());
        yield new Clause("dow", "dow=" + text, time -> time.getDayOfWeek() == day);
      }
      case 2 -> {
        int first = random.nextInt(1, 32);
        int second = random.nextInt(1, 32);
        yield new Clause(
            "dom",
            "dom=" + first + "," + second,
            time -> time.getDayOfMonth() == first || time.getDayOfMonth() == second);
      }
      case 3 -> {
        Month first = Month.of(random.nextInt(1, 13));
        Month last = Month.of(random.nextInt(first.getValue(), 13));
        yield new Clause(
            "months",
            "months=" + first.name().substring(0, 3) + "-" + last.getValue(),
            time -> !(time.getMonth().compareTo(first) < 0 || time.getMonth().compareTo(last) > 0));
      }
      case 4 -> between(random);
      case 5 -> {
        LocalDate date = LocalDate.of(2026, 1, 1).plusDays(random.nextInt(365));
        yield new Clause("dates", "date=" + date, time -> time.toLocalDate().equals(date));
      }
      default -> {
        LocalDate first = LocalDate.of(1990, 1, 1).plusDays(random.nextInt(20_000));
        LocalDate last = first.plusDays(random.nextInt(5_000));
        yield new Clause(
            "dates",
            "dates=" + first + ".." + last,
            time -> !time.toLocalDate().isBefore(first) && !time.toLocalDate().isAfter(last));
      }
    };
  }

  private static Clause between(RandomGenerator random) {
    int firstMinute = random.nextInt(1440);
    int lastMinute = random.nextInt(firstMinute, 1440);
    LocalTime first = LocalTime.of(firstMinute / 60, firstMinute % 60);
    LocalTime last = LocalTime.of(lastMinute / 60, lastMinute % 60);
    return new Clause(
        "between",
        "between=" + first + "-" + last,
        time -> {
          LocalTime minute = time.toLocalTime().withSecond(0).withNano(0);
          return !minute.isBefore(first) && !minute.isAfter(last);
        });
  }

  private static <T> T pick(RandomGenerator random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  /** In the schedule language. */
  String text() {
    StringBuilder text = new StringBuilder(cron);
    text.append(" @tz(").append(zone).append(") @win(").append(mode).append(',');
    text.append(windowText).append(") @dist(").append(distribution).append(parameters());
    text.append(") @seed(").append(strategy);
    if (!salt.isEmpty()) {
      text.append(",salt=\"");
      text.append(salt.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
    }
    text.append(')');
    only.forEach(clause -> text.append(" @only(").append(clause.text()).append(')'));
    if (!avoid.isEmpty()) {
      String clauses = avoid.stream().map(Clause::text).collect(Collectors.joining(";"));
      text.append(" @avoid(").append(clauses).append(')');
    }
    return text.toString();
  }

  private String parameters() {
    String key =
        switch (distribution) {
          case "skewEarly", "skewLate" -> "shape";
          case "exponential" -> "lambda";
          case "normal" -> "sigma";
          default -> "";
        };
    String parameters = "";
    if (!key.isEmpty() && parameter > 0) {
      parameters += "," + key + "=";
      parameters += key.equals("sigma") ? (long) parameter + "s" : Double.toString(parameter);
    }
    if (!option.isEmpty()) {
      parameters += (distribution.equals("normal") ? ",mu=" : ",dir=") + option;
    }
    return parameters;
  }
}
