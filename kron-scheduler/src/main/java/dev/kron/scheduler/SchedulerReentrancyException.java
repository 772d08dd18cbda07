package dev.kron.scheduler;

/**
 * A callback or a listener called its own scheduler in a way that would wait for itself. Nothing
 * has happened; call it from another thread.
 */
public final class SchedulerReentrancyException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String operation;

  SchedulerReentrancyException(String operation, Object where) {
    super(
        operation
            + "() was called from within "
            + where
            + " of the same scheduler and would wait for itself; call it from another thread",
        null);
    this.operation = operation;
  }

  /** The method that was called, for example {@code stop}. */
  public String operation() {
    return operation;
  }
}
