package dev.kron.job;

import dev.kron.job.JobEvent.PeriodDue;
import java.time.Instant;

/**
 * A retry that waits for its time. Its period is handled, and none of its attempts is active.
 *
 * @param failed the attempt before it; nobody was alerted about that one yet
 * @param notBefore epoch millisecond
 * @param fingerprint of the schedule under which the attempt failed; under another schedule there
 *     is no retry
 */
public record Retry(HistoryEntry failed, long notBefore, String fingerprint) {

  /** The time at which a retry begins, and how late that is. */
  public record Time(long atMillis, long lateSeconds) {}

  /** The number of the attempt that waits; a period's first attempt is 1. */
  public int attempt() {
    return failed.attempt() + 1;
  }

  /**
   * The text that stands for the failed run in seeds: its period's id, or the id of the run that
   * caused it.
   */
  public static String key(HistoryEntry failed) {
    if (failed.bootPeriod() != null) {
      return failed.bootPeriod();
    }
    return failed.cause() == null
        ? Instant.ofEpochSecond(failed.nominal()).toString()
        : failed.cause();
  }

  /**
   * The time at which it begins, given since when the daemon has been there. A retry that became
   * due while the daemon was away, or whose failure lies in the future of a clock that was set
   * back, waits for a part of its delay again.
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
