package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class AcceptanceOddsTest {
  @Test
  void agreesWithCountingEverySecond() {
    long seed = Seeds.of(99);
    int checked = 0;
    for (int i = 0; checked < 80; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      RandomSchedule drawn = RandomSchedule.of(random);
      if (drawn.windowNanos() > 86_400L * 1_000_000_000
          || (drawn.only().isEmpty() && drawn.avoid().isEmpty())) {
        continue;
      }
      checked++;
      Schedule schedule = Schedule.parse(drawn.text());
      // Around the changes of the clocks in spring and autumn of both hemispheres.
      long moment = Instant.parse("2026-03-20T00:00:00Z").getEpochSecond();
      long nominal = schedule.next(moment + random.nextLong(240) * 86_400);
      AcceptanceOdds odds = AcceptanceOdds.of(schedule, nominal);
      compare(odds, new DecisionOracle(drawn, "x", nominal), "-Dkron.seed=" + (seed + i));
    }
  }

  private static void compare(AcceptanceOdds odds, DecisionOracle oracle, String where) {
    double length = oracle.end - oracle.start + 1;
    long allowed = 0;
    double mass = 0;
    for (long second = 0; second < length; second++) {
      if (oracle.allows(oracle.start + second)) {
        allowed++;
        mass += oracle.cumulative((second + 1) / length) - oracle.cumulative(second / length);
      }
    }
    assertEquals(allowed, odds.allowedSeconds(), where);
    assertEquals((long) length, odds.windowSeconds(), where);
    if (length == 1) {
      assertEquals((double) allowed, odds.probability(), where);
      assertEquals(1.0 - allowed, odds.missProbability(), where);
    } else {
      assertEquals(mass, odds.probability(), 1e-9, where);
      assertEquals(Math.pow(1 - mass, 64), odds.missProbability(), 1e-9, where);
    }
  }

  @Test
  void isCertainWithoutConstraintsAndHopelessWhereNothingIsAllowed() {
    assertEquals(0, odds("0 0 * * * @win(after,2h)").missProbability());
    assertEquals(1, odds("0 0 * * * @win(after,2h)").allowedShare());
    assertEquals(0, odds("0 0 * * * @win(after,2h) @only(hours=0-23)").missProbability());
    assertEquals(1, odds("0 0 * * * @win(after,2h) @only(hours=5)").missProbability());
    assertEquals(0, odds("0 0 * * * @win(after,2h) @only(hours=5)").allowedShare());
    assertEquals(1, odds("0 0 * * * @avoid(hours=0)").missProbability());
  }

  @Test
  void seesThatARareMinuteIsMissedMoreOftenThanOnceInAMillion() {
    AcceptanceOdds odds = odds("0 18 * * * @win(after,1h) @only(between=18:59-19:00)");
    assertEquals(61, odds.allowedSeconds());
    assertEquals(61 / 3601.0, odds.probability(), 1e-12);
    assertEquals(Math.pow(1 - 61 / 3601.0, 64), odds.missProbability(), 1e-12);
  }

  @Test
  void foretellsHowOftenPeriodsAreUnschedulable() {
    String text = "0 0 * * * @win(after,24h) @dist(normal) @only(between=20:00-21:00)";
    Schedule schedule = Schedule.parse(text);
    double expected = odds(text).missProbability();
    int periods = 20_000;
    int missed = 0;
    for (int i = 0; i < periods; i++) {
      missed += schedule.decide("job", i * 86_400L).unschedulable() ? 1 : 0;
    }
    double deviation = Math.sqrt(expected * (1 - expected) / periods);
    assertTrue(expected > 0.01 && expected < 0.99, "a case that tells something: " + expected);
    assertEquals(expected, (double) missed / periods, 4 * deviation);
  }

  @Test
  void countsAYearLongWindowByDays() {
    AcceptanceOdds odds =
        odds("0 0 1 1 * @tz(Europe/Paris) @win(after,8760h) @only(hours=9-16;dow=MON-FRI)");
    // 261 working days of eight hours; clocks change at night.
    assertEquals(261L * 8 * 3600, odds.allowedSeconds());
  }

  private static AcceptanceOdds odds(String text) {
    Schedule schedule = Schedule.parse(text);
    long moment = Instant.parse("2025-12-31T00:00:00Z").getEpochSecond();
    return AcceptanceOdds.of(schedule, schedule.next(moment));
  }
}
