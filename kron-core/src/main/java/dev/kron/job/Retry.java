package dev.kron.job;

import dev.kron.job.JobEvent.PeriodDue;
import java.time.Instant;

/**
 * An attempt that waits for its time. Its period is handled, and nothing of it runs.
 *
 * @param failed the attempt before it, of which nobody was told yet
 * @param notBefore epoch millisecond
 * @param fingerprint of the schedule under which it failed; under another one it is not repeated
 */
public record Retry(HistoryEntry failed, long notBefore, String fingerprint) {

  /** When it begins, and how late that is. */
  public record Time(long atMillis, long lateSeconds) {}

  /** The number of the attempt that waits; the first one of a period has 1. */
  public int attempt() {
    return failed.attempt() + 1;
  }

  /** What stands for its period in seeds: the period's id, or the run that caused it. */
  public static String key(HistoryEntry failed) {
    if (failed.bootPeriod() != null) {
      return failed.bootPeriod();
    }
    return failed.cause() == null
        ? Instant.ofEpochSecond(failed.nominal()).toString()
        : failed.cause();
  }

  /**
   * When it begins, given since when the daemon has been there: an attempt that fell due during an
   * absence, or that failed in what is the future now, waits for a part of its delay once more.
   */
  public Time time(String identity, RetryPolicy policy, long seenSinceMillis, long nowMillis) {
    boolean clockWentBack = failed.completedAt() > nowMillis && notBefore > nowMillis;
    if (notBefore >= seenSinceMillis && !clockWentBack) {
      return new Time(notBefore, PeriodDue.SEEN);
    }
    long after = policy.afterAbsenceMillis(identity, key(failed), failed.attempt());
    long late = Math.max(0, Math.floorDiv(seenSinceMillis - notBefore, 1000L));
    return new Time(seenSinceMillis + after, late);
  }
}
