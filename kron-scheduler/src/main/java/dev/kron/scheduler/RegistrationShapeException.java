package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/** A registration, or one of its components, is null. */
public final class RegistrationShapeException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final int registrationIndex;
  private final transient @Nullable Registration received;

  RegistrationShapeException(int registrationIndex, @Nullable Registration received) {
    super("Invalid registration shape: expected [string, string, function, Duration]", null);
    this.registrationIndex = registrationIndex;
    this.received = received;
  }

  /** The position in the list, from 0. */
  public int registrationIndex() {
    return registrationIndex;
  }

  /** The element that stood there. */
  public @Nullable Registration received() {
    return received;
  }
}
