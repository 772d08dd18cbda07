package dev.kron.scheduler;

/** A task was to be run, paused or resumed by a scheduler that is not running. */
public final class SchedulerNotActiveException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  SchedulerNotActiveException(String operation) {
    super("Cannot " + operation + ": the scheduler is not running; initialize it first", null);
  }
}
