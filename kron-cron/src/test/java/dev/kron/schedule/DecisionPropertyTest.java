package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DecisionPropertyTest {
  private static final int SCHEDULES = 6_000;
  private static final List<String> IDENTITIES =
      List.of(
          "prod/db-backup",
          "/etc/krond.d/a.kron:job",
          "",
          "\u00e9t\u00e9/\ud83d\ude80",
          "x".repeat(700));

  @Test
  void decidesLikeTheSlowReading() {
    long seed = Seeds.of(20261115);
    for (int i = 0; i < SCHEDULES; i++) {
      checkOne(seed + i);
    }
  }

  private static void checkOne(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RandomSchedule drawn = RandomSchedule.of(random);
    Schedule schedule = Schedule.parse(drawn.text());
    String identity = IDENTITIES.get(random.nextInt(IDENTITIES.size()));
    long nominal = schedule.next(random.nextLong(-2_000_000_000L, 4_000_000_000L));
    Decision decision = schedule.decide(identity, nominal);
    DecisionOracle oracle = new DecisionOracle(drawn, identity, nominal);
    String where = "-Dkron.seed=" + seed + " " + drawn.text() + " at " + nominal;

    assertEquals(oracle.start, decision.windowStartEpochSecond(), where);
    assertEquals(oracle.end, decision.windowEndEpochSecond(), where);
    assertEquals(oracle.periodKey, decision.periodKey(), where);
    assertEquals(oracle.seedHash, decision.seedHash(), where);
    assertEquals(oracle.attempts, decision.attempts(), where);
    Instant chosen = decision.chosenTime();
    assertEquals(oracle.chosen, chosen == null ? null : (Long) chosen.getEpochSecond(), where);
    checkRejections(decision, oracle, where);
    assertEquals(
        decision.toString(),
        Schedule.parse(schedule.canonical()).decide(identity, nominal).toString(),
        where);
  }

  private static void checkRejections(Decision decision, DecisionOracle oracle, String where) {
    List<Decision.Rejection> rejections = decision.rejections();
    int expected =
        decision.unschedulable()
            ? Math.max(1, decision.attempts())
            : Math.max(0, decision.attempts() - 1);
    assertEquals(expected, rejections.size(), where);
    for (Decision.Rejection rejection : rejections) {
      assertTrue(!oracle.allows(rejection.candidate().getEpochSecond()), where);
    }
  }

  @Test
  void decidesTheSameFromManyThreads() {
    Schedule schedule = Schedule.parse("*/5 * * * * @win(around,1h) @dist(normal) @seed(weekly)");
    List<String> alone = IntStream.range(0, 4_000).mapToObj(i -> decide(schedule, i)).toList();
    List<String> together =
        IntStream.range(0, 4_000).parallel().mapToObj(i -> decide(schedule, i)).toList();
    assertEquals(alone, together);
  }

  private static String decide(Schedule schedule, int i) {
    return schedule.decide("job" + i % 7, 1_760_000_000L / 300 * 300 + i * 300L).toString();
  }
}
