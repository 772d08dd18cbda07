package dev.kron.daemon.loop;

import dev.kron.process.Signal;
import org.jspecify.annotations.Nullable;

/**
 * A request to the daemon, by whatever way: the API, a signal, the simulator. Comes back as an
 * {@link Answer}.
 */
public sealed interface Request
    permits Request.Reload, Request.Stop, Request.OfJob, ServiceRequest {
  /**
   * Read the files again and take over what changed.
   *
   * @param dryRun only tell what would change
   */
  record Reload(boolean dryRun) implements Request {
    public Reload() {
      this(false);
    }
  }

  /** What can be asked of a job. */
  sealed interface OfJob extends Request {}

  record Suspend(String identity) implements OfJob {}

  record Resume(String identity) implements OfJob {}

  record Trigger(String identity) implements OfJob {}

  /**
   * Tell nobody of the job.
   *
   * @param untilMillis wall clock; 0: tell again
   */
  record Mute(String identity, long untilMillis) implements OfJob {}

  /**
   * End a run, or all runs of a job: a signal, grace, KILL.
   *
   * @param runId null: all of them
   * @param by who wants it, for the record
   * @param signal to begin with, null: TERM
   */
  record EndRuns(String identity, @Nullable String runId, String by, @Nullable Signal signal)
      implements OfJob {}

  /** Release periods that a clock far ahead has used up. */
  record Forget(String identity) implements OfJob {}

  /** How to leave. */
  enum Stop implements Request {
    /** Jobs go on without the daemon. */
    LEAVE_JOBS,
    /** Start nothing new, wait for what runs, then leave. */
    WAIT_FOR_JOBS,
    /** End what runs: TERM, grace, KILL. */
    END_JOBS
  }
}
