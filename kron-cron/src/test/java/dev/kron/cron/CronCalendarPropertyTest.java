package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The calendar against {@link BruteForce}; repeat a failure with the seed that it prints. */
class CronCalendarPropertyTest {
  private static final long SEED = Long.getLong("kron.seed", 20_260_301);

  /** From one leap day to the next there are eight years at most. */
  private static final int LIMIT_DAYS = 9 * 366;

  /** From one fifth Monday in February to the next there are forty at most. */
  private static final int LONG_LIMIT_DAYS = 41 * 366;

  private static final List<String> ZONES = ZoneId.getAvailableZoneIds().stream().sorted().toList();

  private final RandomGenerator random = new SplittableRandom(SEED);

  @Test
  void agreesWithBruteForceAroundTheTransitionsOfEveryZone() {
    for (String id : ZONES) {
      ZoneId zone = ZoneId.of(id);
      List<ZoneOffsetTransition> transitions = transitions(zone);
      for (int i = 0; i < 4; i++) {
        long near =
            transitions.isEmpty()
                ? random.nextLong(-3_000_000_000L, 5_000_000_000L)
                : transitions.get(random.nextInt(transitions.size())).toEpochSecond();
        check(zone, expression(true), near + random.nextLong(-100_000, 100_000));
      }
    }
  }

  @Test
  void agreesWithBruteForceFarAway() {
    for (int i = 0; i < 300; i++) {
      ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
      check(zone, expression(false), random.nextLong(-62_000_000_000L, 253_000_000_000L));
    }
  }

  @Test
  void agreesWithBruteForceOnRareDays() {
    for (int i = 0; i < 200; i++) {
      ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
      String days = random.nextInt(28, 32) + "," + random.nextInt(29, 32);
      String months = random.nextInt(3) == 0 ? "2" : "" + random.nextInt(1, 13);
      String time = random.nextInt(60) + " " + random.nextInt(24);
      long century = 946_684_800 + random.nextLong(-19, 79) * 3_155_695_200L;
      check(
          zone,
          time + " " + days + " " + months + " *",
          century + random.nextLong(-300_000_000, 300_000_000));
    }
  }

  @Test
  void agreesWithBruteForceOnCountedDays() {
    for (int i = 0; i < 600; i++) {
      ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
      String days = random.nextInt(3) == 0 ? "*" : countedDays();
      String weekdays = days.equals("*") || random.nextBoolean() ? countedWeekdays() : "*";
      String time = random.nextInt(60) + " " + random.nextInt(24);
      check(
          zone,
          String.join(" ", time, days, field(1, 12, 1), weekdays),
          random.nextLong(-2_000_000_000L, 8_000_000_000L));
    }
  }

  private String countedDays() {
    var elements = new ArrayList<String>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int n = random.nextInt(31);
      elements.add(
          switch (random.nextInt(4)) {
            case 0 -> "" + (n + 1);
            case 1 -> "L";
            default -> n == 0 ? "L" : "L-" + n;
          });
    }
    return String.join(",", elements);
  }

  private String countedWeekdays() {
    var elements = new ArrayList<String>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int weekday = random.nextInt(7);
      elements.add(
          switch (random.nextInt(6)) {
            case 0 -> "" + weekday;
            case 1 -> weekday + "L";
            default -> weekday + "#" + random.nextInt(1, 6);
          });
    }
    return String.join(",", elements);
  }

  /** A fifth Monday in February comes after 28 years, and over some centuries after 40. */
  @Test
  void findsAFifthWeekdayOfFebruary() {
    var calendar = new CronCalendar(CronExpression.krontab("0 0 * 2 1#5"), ZoneOffset.UTC);
    long from = Instant.parse("2072-03-01T00:00:00Z").getEpochSecond();
    assertEquals("2112-02-29T00:00:00Z", show(calendar.next(from)));
    assertEquals("2072-02-29T00:00:00Z", show(calendar.previous(from)));
  }

  private void check(ZoneId zone, String expression, long second) {
    String context = expression + " in " + zone + " from " + second + ", -Dkron.seed=" + SEED;
    BruteForce oracle = BruteForce.of(expression, zone);
    int limit = expression.contains("#5") ? LONG_LIMIT_DAYS : LIMIT_DAYS;
    CronExpression parsed;
    try {
      parsed = CronExpression.krontab(expression);
    } catch (CronSyntaxException e) {
      assertEquals("none", show(oracle.next(second, limit)), context);
      return;
    }
    var calendar = new CronCalendar(parsed, zone);
    long next = calendar.next(second);
    assertEquals(show(oracle.next(second, limit)), show(next), context);
    long previous = calendar.previous(second);
    assertEquals(show(oracle.previous(second, limit)), show(previous), context);
    if (next != CronCalendar.NONE) {
      assertEquals(next, calendar.previous(next), context);
      assertEquals(previous, calendar.previous(next - 1), context);
      assertEquals(true, calendar.matches(next), context);
    }
    if (previous != CronCalendar.NONE) {
      assertEquals(next, calendar.next(previous), context);
      assertEquals(previous, calendar.next(previous - 1), context);
    }
  }

  private static String show(long second) {
    return second == CronCalendar.NONE ? "none" : Instant.ofEpochSecond(second).toString();
  }

  private static List<ZoneOffsetTransition> transitions(ZoneId zone) {
    var result = new ArrayList<>(zone.getRules().getTransitions());
    Instant from = Instant.parse("2026-01-01T00:00:00Z");
    for (int i = 0; i < 8; i++) {
      ZoneOffsetTransition next = zone.getRules().nextTransition(from);
      if (next == null) {
        break;
      }
      result.add(next);
      from = next.getInstant();
    }
    return result;
  }

  private String expression(boolean frequent) {
    return String.join(
        " ",
        field(0, 59, 4),
        field(0, 23, 2),
        field(1, 31, frequent ? 2 : 4),
        field(1, 12, frequent ? 1 : 3),
        field(0, 6, frequent ? 1 : 3));
  }

  /** A field that is restricted in {@code outOfFive} cases of five. */
  private String field(int min, int max, int outOfFive) {
    if (random.nextInt(5) >= outOfFive) {
      return "*";
    }
    var elements = new ArrayList<String>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int from = random.nextInt(min, max + 1);
      int to = random.nextInt(from, max + 1);
      elements.add(random.nextBoolean() ? "" + from : from + "-" + to);
    }
    return String.join(",", elements);
  }
}
