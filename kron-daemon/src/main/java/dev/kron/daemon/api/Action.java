package dev.kron.daemon.api;

/** What can be asked of the daemon. */
public sealed interface Action {
  /**
   * Read the files again.
   *
   * @param dryRun tell what would change, and change nothing
   */
  record Reload(boolean dryRun) implements Action {}

  record Suspend(String identity) implements Action {}

  record Resume(String identity) implements Action {}

  record Trigger(String identity) implements Action {}

  /** Release the periods that a clock far ahead has used up. */
  record Forget(String identity) implements Action {}

  /** Leave. */
  enum Shutdown implements Action {
    /** Jobs go on without the daemon. */
    LEAVE,
    /** Wait for the jobs that run. */
    WAIT,
    /** End the jobs that run. */
    KILL
  }
}
