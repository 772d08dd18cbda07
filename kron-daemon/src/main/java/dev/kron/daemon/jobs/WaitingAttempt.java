package dev.kron.daemon.jobs;

import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.job.Retry;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that waits, as the clock sees it.
 *
 * @param second at which it is to begin
 * @param lateSeconds how late that is, {@code PeriodDue.SEEN}: the daemon was there
 */
record WaitingAttempt(long second, long lateSeconds) {

  /** Whether what waits is not to begin, whatever the time: the file says something else now. */
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

  JobEvent due(String runId, String bootId, long nowMillis) {
    return new JobEvent.RetryDue(second, lateSeconds, runId, bootId, nowMillis);
  }
}
