package dev.kron.daemon.jobs;

import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.job.Retry;
import dev.kron.store.RunIds;
import org.jspecify.annotations.Nullable;

/**
 * The time of an attempt that waits.
 *
 * @param second at which it is to begin
 * @param lateSeconds how late that is, {@code PeriodDue.SEEN}: the daemon was there
 */
record WaitingAttempt(long second, long lateSeconds) {

  /** Whether a waiting attempt must not begin, because the file has changed. */
  static boolean isUnwanted(Job job) {
    Retry retry = job.state.retry();
    return retry != null
        && (job.spec == null
            || job.suspended()
            || !retry.fingerprint().equals(job.state.fingerprint()));
  }

  static @Nullable WaitingAttempt of(Job job, JobSpec spec, long seenSinceMillis, long nowMillis) {
    Retry retry = job.state.retry();
    if (retry == null) {
      return null;
    }
    Retry.Time time = retry.time(job.identity, spec.retry(), seenSinceMillis, nowMillis);
    return new WaitingAttempt(Math.ceilDiv(time.atMillis(), 1000L), time.lateSeconds());
  }

  /**
   * The id of its run. The id of a chained run follows from its cause, as that of its first attempt
   * did.
   */
  static String runId(Job job, NewRuns newRuns) {
    Retry retry = job.state.retry();
    String cause = retry == null ? null : retry.failed().cause();
    return retry == null || cause == null
        ? newRuns.nextId()
        : RunIds.following(retry.notBefore(), cause, job.identity, retry.attempt());
  }

  JobEvent due(String runId, String bootId, long nowMillis) {
    return new JobEvent.RetryDue(second, lateSeconds, runId, bootId, nowMillis);
  }
}
