package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code @choose(exact)}: one draw from the allowed seconds. */
class ExactChoiceTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_118);
  private static final int LONGEST_WALK_SECONDS = 40_000;
  private static final long LONGEST_WALK_BY_MINUTES = 15 * 86_400;

  /** The nominal time is Sunday, 1 March 2026. */
  private static final long NOMINAL = Instant.parse("2026-03-01T00:00:00Z").getEpochSecond();

  @Test
  void findsTheOnlyAllowedMinuteOfAYear() {
    Schedule schedule =
        Schedule.parse(
            "0 0 1 3 * @win(after,8784h) @only(date=2026-11-16;between=12:34-12:34)"
                + " @choose(exact)");
    for (int i = 0; i < 100; i++) {
      Decision decision = schedule.decide("job" + i, NOMINAL);
      assertEquals(
          "2026-11-16T12:34",
          String.valueOf(decision.chosenTime()).substring(0, 16),
          decision::toString);
      assertEquals(1, decision.attempts());
      assertEquals(1, decision.maxAttempts());
      assertTrue(decision.rejections().isEmpty());
    }
  }

  @Test
  void saysThatNoSecondIsAllowed() {
    for (String window : new String[] {"1h", "0s"}) {
      Decision decision =
          Schedule.parse("0 0 * * * @win(after," + window + ") @only(hours=5) @choose(exact)")
              .decide("job", NOMINAL);
      assertTrue(decision.unschedulable());
      assertEquals("no second of the window is allowed", decision.reason());
      assertNull(decision.chosenTime());
    }
  }

  @Test
  void meansNothingWhereEverySecondIsAllowed() {
    Schedule plain = Schedule.parse("0 0 * * * @win(after,3h) @dist(normal)");
    Schedule exact = Schedule.parse("0 0 * * * @win(after,3h) @dist(normal) @choose(exact)");
    assertEquals(plain, exact);
    assertEquals(plain.fingerprint(), exact.fingerprint());
    assertEquals(
        plain.decide("job", NOMINAL).chosenTime(), exact.decide("job", NOMINAL).chosenTime());
  }

  @Test
  void agreesWithAWalkOverTheSeconds() {
    RandomGenerator random = new SplittableRandom(SEED);
    int chosen = 0;
    for (int i = 0; i < 4_000; i++) {
      RandomSchedule made = RandomSchedule.of(random);
      Schedule schedule = Schedule.parse(made.text() + " @choose(exact)");
      long nominal = schedule.next(random.nextLong(1_600_000_000, 1_900_000_000));
      String identity = "job" + i;
      Decision decision = schedule.decide(identity, nominal);
      DecisionOracle oracle = new DecisionOracle(made, identity, nominal);
      String context = made.text() + " for " + nominal + ", -Dkron.seed=" + SEED;
      if (!decision.unschedulable()) {
        chosen++;
        long second = decision.chosenEpochSecond();
        assertTrue(oracle.allows(second), context);
        assertTrue(oracle.start <= second && second <= oracle.end, context);
      } else if (oracle.end - oracle.start <= LONGEST_WALK_SECONDS) {
        for (long second = oracle.start; second <= oracle.end; second++) {
          assertFalse(oracle.allows(second), context);
        }
      } else {
        assertNull(oracle.chosen, context);
        // Constraints look at minutes, and every offset of these years is of whole minutes.
        long end = Math.min(oracle.end, oracle.start + LONGEST_WALK_BY_MINUTES);
        for (long minute = Math.floorDiv(oracle.start, 60L); minute * 60 <= end; minute++) {
          assertFalse(oracle.allows(Math.max(oracle.start, minute * 60)), context);
        }
      }
    }
    assertTrue(chosen > 1_000, "too few were schedulable: " + chosen);
  }

  /**
   * The share of each allowed stretch is that of the distribution, restricted to what is allowed.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "uniform",
        "skewEarly",
        "skewLate,shape=3",
        "exponential,lambda=4",
        "exponential,lambda=4,dir=late",
        "normal,sigma=2h"
      })
  void hasTheRestrictedDistribution(String distribution) {
    Schedule schedule =
        Schedule.parse(
            "* * * * * @win(after,12h) @dist("
                + distribution
                + ") @only(hours=1,4-6,11) @choose(exact)");
    long[] counts = new long[12];
    int draws = 20_000;
    for (int i = 0; i < draws; i++) {
      long second = schedule.decide("job" + i, NOMINAL).chosenEpochSecond();
      counts[(int) ((second - NOMINAL) / 3600)]++;
    }
    double total = 0;
    for (int hour : new int[] {1, 4, 5, 6, 11}) {
      total += weight(schedule, hour);
    }
    double chiSquared = 0;
    for (int hour : new int[] {1, 4, 5, 6, 11}) {
      double expected = draws * weight(schedule, hour) / total;
      chiSquared += (counts[hour] - expected) * (counts[hour] - expected) / expected;
    }
    // Four degrees of freedom: 23.5 is passed once in ten thousand, and the draws are fixed.
    assertTrue(chiSquared < 23.5, distribution + ": " + chiSquared);
  }

  private static double weight(Schedule schedule, int hour) {
    double length = 12 * 3600 + 1;
    return schedule.curve().cumulative((hour + 1) * 3600 / length)
        - schedule.curve().cumulative(hour * 3600 / length);
  }

  /** So far from the mean that the weight of what is allowed is 0: any allowed second alike. */
  @Test
  void isUniformWhereTheWeightIsNothing() {
    Schedule schedule =
        Schedule.parse(
            "0 0 * * * @win(after,24h) @dist(normal,mu=start,sigma=1s) @only(hours=20,22)"
                + " @choose(exact)");
    int late = 0;
    for (int i = 0; i < 2_000; i++) {
      Instant time = Instant.ofEpochSecond(schedule.decide("job" + i, NOMINAL).chosenEpochSecond());
      int hour = time.atZone(ZoneOffset.UTC).getHour();
      assertTrue(hour == 20 || hour == 22, time::toString);
      late += hour == 22 ? 1 : 0;
    }
    assertTrue(late > 880 && late < 1_120, "late: " + late);
  }

  @Test
  void isReadAgainFromItsCanonicalText() {
    String text = "0 0 * * * @win(after,3h) @only(hours=1) @choose(exact)";
    assertEquals("0 0 * * * @win(after,3h0m0s) @only(hours=1) @choose(exact)", canonical(text));
    assertEquals(canonical(text), canonical(canonical(text)));
    assertEquals(
        "30 2 * * * @dst(shift) @tz(Europe/Paris)",
        canonical("30 2 * * * @tz(Europe/Paris) @dst(shift)"));
    assertEquals("30 2 * * *", canonical("30 2 * * * @dst(both)"));
    assertEquals("0,30 2 * * *", canonical("*/30 2 * * * @dst(cron)"));
    assertEquals("0-59 2 * * * @dst(cron)", canonical("0-59 2 * * * @dst(cron)"));
    assertEquals("@every(1h30m0s)", canonical("@every(90m)"));
    assertEquals(
        "@every(24h0m0s,from=2026-01-01T00:00:00Z) @win(after,1h0m0s)",
        canonical("@every(24h,from=2026-01-01T00:00:00Z) @win(after,1h)"));
    assertEquals(
        "@manual @policy(concurrency=allow,deadline=0s,suspend=false)",
        canonical("@manual @policy(concurrency=allow)"));
    assertEquals(CronCalendar.NONE, Schedule.parse("@manual").next(0));
    assertEquals("@boot @win(after,5m0s)", canonical("@boot @win(after,5m) @seed(stable)"));
    assertEquals(CronCalendar.NONE, Schedule.parse("@boot").next(0));
  }

  /** SHA-256 of the three lines, then the published stream: to be repeated by hand. */
  @Test
  void theSecondOfABootIsDrawnFromTheNameOfItsPeriod() {
    Schedule schedule = Schedule.parse("@boot @win(after,1h) @seed(stable,salt=blue)");
    String period = "boot:2f6ab1d8-5c7c-4f0e-8f19-6f0f5a3c1f11.42";
    Decision decision = schedule.decideBoot("/etc/krond.d/a:warm", period, 1_000_000);
    assertEquals("/etc/krond.d/a:warm\n" + period + "\nblue", decision.seedMaterial());
    assertEquals(period, decision.periodId());
    double u = Draws.of(1, "/etc/krond.d/a:warm", period, "blue");
    assertEquals(u, decision.firstDraw());
    assertEquals(1_000_000 + (long) (u * 3601), decision.chosenEpochSecond());
    assertEquals(
        1_000_000, Schedule.parse("@boot").decideBoot("a", period, 1_000_000).chosenEpochSecond());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@boot @tz(UTC)|only @win(after,…), @dist, @seed(stable) and @policy may follow",
        "@boot @only(hours=3)|only @win(after,…), @dist",
        "@boot @choose(exact)|only @win(after,…), @dist",
        "@boot @win(before,5m)|a window of @boot lies after it",
        "@boot @seed(daily)|a boot belongs to no day or week",
        "@boot(1)|takes no value"
      })
  void onlyWhatHasAMeaningForABootMayFollow(String text, String problem) {
    var refused = assertThrows(ScheduleSyntaxException.class, () -> Schedule.parse(text));
    assertTrue(String.valueOf(refused.getMessage()).contains(problem), refused::getMessage);
  }

  private static String canonical(String text) {
    Schedule schedule = Schedule.parse(text);
    assertEquals(schedule, Schedule.parse(schedule.canonical()));
    return schedule.canonical();
  }
}
