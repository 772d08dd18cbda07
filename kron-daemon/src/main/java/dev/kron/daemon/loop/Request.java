package dev.kron.daemon.loop;

import dev.kron.process.Signal;
import org.jspecify.annotations.Nullable;

/**
 * A request to the daemon from the API, a signal or the simulator. Its result is an {@link Answer}.
 */
public sealed interface Request
    permits Request.Reload, Request.Stop, Request.Adopt, Request.OfJob, ServiceRequest {
  /**
   * Read the files again and apply the changes.
   *
   * @param dryRun whether to report the changes only
   */
  record Reload(boolean dryRun) implements Request {
    public Reload() {
      this(false);
    }
  }

  /** Join the fleet as a new node. */
  record Adopt() implements Request {}

  /** The requests that concern a job. */
  sealed interface OfJob extends Request {
    String identity();
  }

  record Suspend(String identity) implements OfJob {}

  record Resume(String identity) implements OfJob {}

  record Trigger(String identity) implements OfJob {}

  /**
   * Send no notifications about the job.
   *
   * @param untilMillis wall clock; 0 ends the mute
   */
  record Mute(String identity, long untilMillis) implements OfJob {}

  /**
   * End a run, or all runs of a job: a signal, a grace period, KILL.
   *
   * @param runId null for all of them
   * @param by the operator, for the record
   * @param signal the first signal; null for TERM
   */
  record EndRuns(String identity, @Nullable String runId, String by, @Nullable Signal signal)
      implements OfJob {}

  /** Release periods that a clock far ahead has used up. */
  record Forget(String identity) implements OfJob {}

  /** The ways to stop the daemon. */
  enum Stop implements Request {
    /** Leave jobs running. */
    LEAVE_JOBS,
    /** Start nothing new, wait for active runs, then stop. */
    WAIT_FOR_JOBS,
    /** End active runs: TERM, a grace period, KILL. */
    END_JOBS
  }
}
