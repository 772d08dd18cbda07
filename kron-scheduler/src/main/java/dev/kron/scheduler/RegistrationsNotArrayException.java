package dev.kron.scheduler;

/** {@code initialize} was called with null in place of a list. */
public final class RegistrationsNotArrayException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  RegistrationsNotArrayException() {
    super("Registrations must be an array", null);
  }
}
