package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules for clock changes: by example, and against a walk over every local minute. */
class ClockChangeRuleTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_117);
  private static final List<ClockChangeRule> RULES = List.of(ClockChangeRule.values());
  private static final List<String> ZONES =
      List.of(
          "Europe/Paris",
          "America/New_York",
          "Australia/Lord_Howe",
          "America/Sao_Paulo",
          "Africa/Casablanca",
          "Pacific/Apia",
          "Antarctica/Troll",
          "America/Scoresbysund",
          "Asia/Kathmandu");

  /** In Paris, clocks go from 02:00 to 03:00 on 29 March 2026, and back on 25 October. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          30 2 * * *     | both  | 2026-03-28T12:00:00Z | 2026-03-30T00:30:00Z
          30 2 * * *     | skip  | 2026-03-28T12:00:00Z | 2026-03-30T00:30:00Z
          30 2 * * *     | shift | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z
          30 2 * * *     | cron  | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z
          30 2,3 * * *   | shift | 2026-03-29T00:30:00Z | 2026-03-29T01:00:00Z
          30 2,3 * * *   | shift | 2026-03-29T01:00:00Z | 2026-03-29T01:30:00Z
          0 2,3 * * *    | shift | 2026-03-29T00:30:00Z | 2026-03-29T01:00:00Z
          0 2,3 * * *    | shift | 2026-03-29T01:00:00Z | 2026-03-30T00:00:00Z
          30 * * * *     | cron  | 2026-03-29T00:30:00Z | 2026-03-29T01:30:00Z
          30 * * * *     | shift | 2026-03-29T00:30:00Z | 2026-03-29T01:00:00Z
          30 2 * * *     | both  | 2026-10-25T00:30:00Z | 2026-10-25T01:30:00Z
          30 2 * * *     | skip  | 2026-10-25T00:30:00Z | 2026-10-26T01:30:00Z
          30 2 * * *     | shift | 2026-10-25T00:30:00Z | 2026-10-26T01:30:00Z
          30 2 * * *     | cron  | 2026-10-25T00:30:00Z | 2026-10-26T01:30:00Z
          */30 2 * * *   | cron  | 2026-10-25T00:30:00Z | 2026-10-25T01:00:00Z
          30 2 29 2,3 *  | shift | 2026-03-01T00:00:00Z | 2026-03-29T01:00:00Z
          """)
  void rulesByExample(String expression, String rule, String after, String expected) {
    var calendar = calendar(expression, "Europe/Paris", rule);
    long next = calendar.next(Instant.parse(after).getEpochSecond());
    assertEquals(expected, Instant.ofEpochSecond(next).toString());
    assertEquals(next, calendar.previous(next));
  }

  /** Apia had no 30 December 2011 at all: cron takes that for a correction of the clock. */
  @Test
  void cronLeavesChangesOfThreeHoursAlone() {
    long before = Instant.parse("2011-12-30T09:30:00Z").getEpochSecond();
    assertEquals(
        "2011-12-30T10:00:00Z",
        Instant.ofEpochSecond(calendar("0 5 * * *", "Pacific/Apia", "shift").next(before))
            .toString());
    assertEquals(
        "2011-12-30T15:00:00Z",
        Instant.ofEpochSecond(calendar("0 5 * * *", "Pacific/Apia", "cron").next(before))
            .toString());
  }

  @Test
  void agreesWithAWalkOverEveryLocalMinute() {
    RandomGenerator random = new SplittableRandom(SEED);
    for (int i = 0; i < 1_500; i++) {
      ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
      List<ZoneOffsetTransition> changes = zone.getRules().getTransitions();
      ZoneOffsetTransition change = changes.get(random.nextInt(changes.size() / 2, changes.size()));
      ClockChangeRule rule = RULES.get(random.nextInt(RULES.size()));
      String expression = expression(random);
      var calendar = new CronCalendar(CronExpression.krontab(expression), zone, rule);
      long from = change.toEpochSecond() - 100_000;
      long to = change.toEpochSecond() + 100_000;
      String context =
          expression + " " + rule + " around " + change + " in " + zone + ", -Dkron.seed=" + SEED;
      var expected = new ArrayList<>(walk(expression, zone, rule, from, to));
      var forwards = new ArrayList<Long>();
      for (long t = calendar.next(from); t != NominalTimes.NONE && t <= to; ) {
        forwards.add(t);
        t = calendar.next(t);
      }
      assertEquals(expected, forwards, context);
      var backwards = new ArrayList<Long>();
      for (long t = calendar.previous(to); t != NominalTimes.NONE && t > from; ) {
        backwards.addFirst(t);
        t = calendar.previous(t - 1);
      }
      assertEquals(expected, backwards, context);
    }
  }

  private static String expression(RandomGenerator random) {
    String minute =
        switch (random.nextInt(4)) {
          case 0 -> "*/" + random.nextInt(1, 31);
          case 1 -> "*";
          default -> "" + random.nextInt(60);
        };
    String hour =
        switch (random.nextInt(4)) {
          case 0 -> "*";
          case 1 -> "0-5";
          default -> "" + random.nextInt(24);
        };
    return minute + " " + hour + " * * *";
  }

  /** The instants after {@code from}, up to {@code to}, that the rule gives. */
  private static Set<Long> walk(
      String expression, ZoneId zone, ClockChangeRule rule, long from, long to) {
    String[] fields = expression.split(" ");
    boolean wild = fields[0].startsWith("*") || fields[1].startsWith("*");
    BruteForce oracle = BruteForce.of(plain(expression), zone);
    var result = new TreeSet<Long>();
    LocalDateTime local =
        LocalDateTime.ofEpochSecond((from - 180_000) / 60 * 60, 0, ZoneOffset.UTC);
    LocalDateTime last = LocalDateTime.ofEpochSecond(to + 180_000, 0, ZoneOffset.UTC);
    for (; local.isBefore(last); local = local.plusMinutes(1)) {
      if (!oracle.minutes().contains(local.getMinute())
          || !oracle.hours().contains(local.getHour())) {
        continue;
      }
      ZoneOffsetTransition change = zone.getRules().getTransition(local);
      boolean large = change != null && Math.abs(change.getDuration().toSeconds()) >= 3 * 3600;
      ClockChangeRule effective =
          rule == ClockChangeRule.CRON
              ? (wild || large ? ClockChangeRule.BOTH : ClockChangeRule.SHIFT)
              : rule;
      if (change == null) {
        result.add(local.toEpochSecond(zone.getRules().getOffset(local)));
      } else if (change.isGap()) {
        if (effective == ClockChangeRule.SHIFT) {
          result.add(change.toEpochSecond());
        }
      } else {
        result.add(local.toEpochSecond(change.getOffsetBefore()));
        if (effective == ClockChangeRule.BOTH) {
          result.add(local.toEpochSecond(change.getOffsetAfter()));
        }
      }
    }
    return new TreeSet<>(result.subSet(from, false, to, true));
  }

  /** Steps written out, for the oracle. */
  private static String plain(String expression) {
    if (!expression.startsWith("*/")) {
      return expression;
    }
    int space = expression.indexOf(' ');
    int step = Integer.parseInt(expression.substring(2, space));
    var minutes = new ArrayList<String>();
    for (int minute = 0; minute < 60; minute += step) {
      minutes.add("" + minute);
    }
    return String.join(",", minutes) + expression.substring(space);
  }

  private static CronCalendar calendar(String expression, String zone, String rule) {
    return new CronCalendar(
        CronExpression.krontab(expression),
        ZoneId.of(zone),
        ClockChangeRule.valueOf(rule.toUpperCase(java.util.Locale.ROOT)));
  }
}
