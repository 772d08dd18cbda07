package dev.kron.daemon.api;

import dev.kron.process.Signal;

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

  /** Something about one service. */
  record OfService(String service, ServiceAction action) implements Action {}

  /** What can be asked of a service. */
  sealed interface ServiceAction {
    /** Wanted up, with what it requires and wants. */
    record Start() implements ServiceAction {}

    /** Wanted down, after those that require it. */
    record Stop() implements ServiceAction {}

    /** Wanted up, with new processes. */
    record Restart() implements ServiceAction {}

    record SendSignal(Signal signal) implements ServiceAction {}

    /** Its processes get these credentials, whatever its file says. */
    record BindCredentials(String profile) implements ServiceAction {}

    /** Its file decides again. */
    record UnbindCredentials() implements ServiceAction {}
  }

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
