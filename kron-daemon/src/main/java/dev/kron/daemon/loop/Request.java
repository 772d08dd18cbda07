package dev.kron.daemon.loop;

import dev.kron.process.Signal;
import org.jspecify.annotations.Nullable;

/**
 * What can be asked of the daemon, by whatever way: the API, a signal, the simulator. Comes back as
 * an {@link Answer}.
 */
public sealed interface Request
    permits Request.Reload,
        Request.Suspend,
        Request.Resume,
        Request.Trigger,
        Request.EndRuns,
        Request.Forget,
        Request.Stop,
        ServiceRequest {
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

  record Suspend(String identity) implements Request {}

  record Resume(String identity) implements Request {}

  record Trigger(String identity) implements Request {}

  /**
   * End a run, or all runs of a job: a signal, grace, KILL.
   *
   * @param runId null: all of them
   * @param by who wants it, for the record
   * @param signal to begin with, null: TERM
   */
  record EndRuns(String identity, @Nullable String runId, String by, @Nullable Signal signal)
      implements Request {}

  /** Release periods that a clock far ahead has used up. */
  record Forget(String identity) implements Request {}

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
