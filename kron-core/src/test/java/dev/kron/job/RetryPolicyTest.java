package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a failed run is waited with. The figures were computed by other means. */
final class RetryPolicyTest {

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1, true",
    "20, 1, 1, true",
    "-1, 1, 1, false",
    "21, 1, 1, false",
    "1, 0, 1, false",
    "1, 1, 0, false"
  })
  void onlyWaysToTryAgainArePolicies(int retries, long delay, long longest, boolean fits) {
    Executable made =
        () -> assertEquals(retries, new RetryPolicy(retries, delay, longest, List.of(0)).retries());
    if (fits) {
      assertDoesNotThrow(made);
    } else {
      assertThrows(IllegalArgumentException.class, made);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 30000, 3600000, 1, 30560, 6118",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 30000, 3600000, 2, 64361, 13704",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 30000, 3600000, 3, 145843, 24823",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 30000, 3600000, 8, 4440909, 304875",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 30000, 3600000, 20, 4456167, 422079",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 1500, 60000, 1, 1528, 305",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 1500, 60000, 2, 3218, 685",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 1500, 60000, 3, 7292, 1241",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 1500, 60000, 8, 74015, 5081",
    "/etc/krond.d/db.kron:backup, 2026-03-01T00:00:00Z, 1500, 60000, 20, 74269, 7034",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 30000, 3600000, 1, 32160, 3277",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 30000, 3600000, 2, 62214, 5017",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 30000, 3600000, 3, 129726, 29707",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 30000, 3600000, 8, 3726093, 40073",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 30000, 3600000, 20, 3758464, 150675",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 1500, 60000, 1, 1608, 163",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 1500, 60000, 2, 3110, 250",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 1500, 60000, 3, 6486, 1485",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 1500, 60000, 8, 62101, 667",
    "/home/zoë/a:b, 01hzzzzzzz0000000000000001, 1500, 60000, 20, 62641, 2511"
  })
  void theDelayIsDoubledCappedAndSpreadByTheStream(
      String identity, String period, long delay, long longest, int k, long wait, long anew) {
    var policy = new RetryPolicy(20, delay, longest, List.of(0));
    assertEquals(wait, policy.delayMillis(identity, period, k));
    assertEquals(anew, policy.afterAbsenceMillis(identity, period, k));
  }

  @Test
  void theShortestWaitOfAllIsThatWithoutTheSpread() {
    var policy = new RetryPolicy(20, 30_000, 3_600_000, List.of(0));
    assertEquals(0, policy.shortestMillis(0));
    assertEquals(30_000 + 60_000 + 120_000, policy.shortestMillis(3));
    assertEquals(127 * 30_000 + 13 * 3_600_000, policy.shortestMillis(20));
  }

  @Test
  void aThousandJobsThatFailedTogetherDoNotComeBackTogether() {
    var policy = new RetryPolicy(3, 60_000, 3_600_000, List.of(0));
    long[] seconds =
        IntStream.range(0, 1000)
            .mapToLong(i -> policy.delayMillis("/jobs:" + i, "2026-03-01T00:00:00Z", 1) / 1000)
            .sorted()
            .toArray();
    assertEquals(60, seconds[0]);
    assertEquals(74, seconds[999]);
    assertEquals(15, IntStream.range(0, 1000).mapToLong(i -> seconds[i]).distinct().count());
  }

  @Test
  void anAttemptThatFellDueDuringAnAbsenceWaitsOnceMore() {
    Retry retry = Given.RETRYING.retry();
    assertTrue(retry != null);
    long due = retry.notBefore();
    String identity = Given.RETRYING.identity();
    assertEquals(
        new Retry.Time(due, JobEvent.PeriodDue.SEEN),
        retry.time(identity, Given.TWICE, due, due + 5));
    long back = due + 90_500;
    Retry.Time late = retry.time(identity, Given.TWICE, back, back);
    assertEquals(90, late.lateSeconds());
    assertTrue(late.atMillis() >= back && late.atMillis() < back + 7_500, late::toString);
  }

  @Test
  void anAttemptThatFailedInWhatIsTheFutureNowIsNotLost() {
    Retry retry = Given.RETRYING.retry();
    assertTrue(retry != null);
    long set = retry.failed().completedAt() - 86_400_000;
    Retry.Time time = retry.time(Given.RETRYING.identity(), Given.TWICE, set, set + 1000);
    assertTrue(time.atMillis() < set + 7_500, time::toString);
    assertEquals(0, time.lateSeconds());
  }
}
