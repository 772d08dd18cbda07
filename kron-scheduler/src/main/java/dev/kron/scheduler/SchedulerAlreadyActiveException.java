package dev.kron.scheduler;

/** {@code initialize} was called on a scheduler that is initializing or running. */
public final class SchedulerAlreadyActiveException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String currentState;

  SchedulerAlreadyActiveException(String currentState) {
    super("Cannot initialize scheduler: scheduler is already " + currentState, null);
    this.currentState = currentState;
  }

  /** {@code "initializing"} or {@code "running"}. */
  public String currentState() {
    return currentState;
  }
}
