package dev.kron.daemon.loop;

/** What an operator can ask of the daemon. */
public sealed interface Request {
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

  record RunNow(String identity) implements Request {}

  /** Release periods that a clock far ahead has used up. */
  record Forget(String identity) implements Request {}

  /** Something about services. */
  record OfServices(ServiceRequest of) implements Request {}

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
