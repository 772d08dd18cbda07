package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DecisionTest {
  private static final long NOMINAL = Instant.parse("2026-03-02T09:00:00Z").getEpochSecond();

  @Test
  void tellsEverythingThatAUserIsToSee() {
    Decision decision =
        Schedule.parse("0 10 * * * @tz(Europe/Paris) @win(center,90m) @seed(daily,salt=msgs)")
            .decide("msgs/paris", NOMINAL);
    assertEquals("msgs/paris", decision.identity());
    assertEquals("2026-03-02T09:00:00Z", decision.periodId());
    assertEquals("2026-03-02", decision.periodKey());
    assertEquals("2026-03-02T09:00:00Z", decision.nominalTime().toString());
    assertEquals("2026-03-02T08:15:00Z", decision.windowStart().toString());
    assertEquals("2026-03-02T09:45:00Z", decision.windowEnd().toString());
    assertEquals("around", decision.windowMode());
    assertEquals("Europe/Paris", decision.timezone());
    assertEquals("uniform", decision.distribution().name());
    assertEquals(List.of(), decision.distributionParameters());
    assertEquals("daily", decision.seedStrategy());
    assertEquals("msgs", decision.salt());
    assertEquals("msgs/paris\n2026-03-02\nmsgs", decision.seedMaterial());
    assertEquals(64, decision.seedHash().length());
    assertEquals(1, decision.attempts());
    assertEquals(64, decision.maxAttempts());
    assertNull(decision.reason());
    assertEquals(decision.ownDueEpochSecond(), decision.chosenEpochSecond());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "@win(after,3h) @dist(normal)              | mu=mid sigma=30m0s",
        "@win(before,3h) @dist(normal)             | mu=nominal sigma=30m0s",
        "@win(around,3h) @dist(normal)             | mu=nominal sigma=30m0s",
        "@win(after,1h1s) @dist(normal,mu=start)   | mu=start sigma=10m0.166666667s",
        "@win(after,1h) @dist(normal,sigma=90s)    | mu=mid sigma=1m30s",
        "@win(after,1h) @dist(skewEarly)           | shape=2.0#",
        "@win(after,1h) @dist(skewLate,shape=3)    | shape=3.0#",
        "@win(after,1h) @dist(exponential)         | lambda=1.0# dir=early",
        "@dist(exponential,dir=late,lambda=0.5)    | lambda=0.5# dir=late",
        "@dist(uniform)                            | ``"
      })
  void fillsInTheDistributionsDefaults(String modifiers, String parameters) {
    Decision decision = Schedule.parse("0 0 * * * " + modifiers).decide("x", NOMINAL);
    assertEquals(
        parameters,
        decision.distributionParameters().stream()
            .map(p -> p.name() + "=" + p.value() + (p.isNumber() ? "#" : ""))
            .collect(Collectors.joining(" ")));
  }

  @Test
  void showsEveryRejectedCandidateWithItsClause() {
    Decision decision =
        Schedule.parse("0 9 * * * @win(after,2h) @only(between=10:30-10:59) @avoid(dow=TUE)")
            .decide("job", NOMINAL);
    assertTrue(decision.attempts() > 1, "a case that tells something");
    assertEquals(decision.attempts() - 1, decision.rejections().size());
    int attempt = 1;
    for (Decision.Rejection rejection : decision.rejections()) {
      assertEquals(attempt++, rejection.attempt());
      assertEquals("@only(between=10:30-10:59)", rejection.clause());
    }
  }

  @Test
  void hasNoChosenSecondWhereNothingIsAllowed() {
    Decision drawn =
        Schedule.parse("0 9 * * * @win(after,1h) @only(hours=3)").decide("job", NOMINAL);
    assertTrue(drawn.unschedulable());
    assertNull(drawn.chosenTime());
    assertEquals("no candidate accepted within MaxAttempts", drawn.reason());
    assertEquals(64, drawn.attempts());
    assertEquals(64, drawn.rejections().size());
    assertEquals(drawn.windowEndEpochSecond(), drawn.ownDueEpochSecond());
    assertThrows(IllegalStateException.class, drawn::chosenEpochSecond);

    Decision exact = Schedule.parse("0 9 * * * @avoid(hours=9)").decide("job", NOMINAL);
    assertTrue(exact.unschedulable());
    assertEquals("no candidate accepted within MaxAttempts", exact.reason());
    assertEquals(0, exact.attempts());
    assertEquals(1, exact.rejections().size());
  }

  @Test
  void periodsOfOneDayShareADailyChoice() {
    Schedule schedule = Schedule.parse("0 * * * * @win(after,30m) @seed(daily)");
    long midnight = Instant.parse("2026-03-02T00:00:00Z").getEpochSecond();
    long delay = schedule.decide("job", midnight).chosenEpochSecond() - midnight;
    for (int hour = 1; hour < 24; hour++) {
      long nominal = midnight + hour * 3600L;
      assertEquals(delay, schedule.decide("job", nominal).chosenEpochSecond() - nominal);
    }
    long tomorrow = midnight + 86_400;
    assertTrue(delay != schedule.decide("job", tomorrow).chosenEpochSecond() - tomorrow);
  }
}
