package dev.kron.scheduler;

/** A registration has the right shape and holds something that cannot be used. */
public final class InvalidRegistrationException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String field;
  private final String value;
  private final String reason;

  InvalidRegistrationException(int index, String field, String value, String reason) {
    super(
        "Invalid registration at index " + index + ": " + field + " \"" + value + "\" " + reason,
        null);
    this.field = field;
    this.value = value;
    this.reason = reason;
  }

  /** The component of {@link Registration} that is wrong. */
  public String field() {
    return field;
  }

  public String value() {
    return value;
  }

  public String reason() {
    return reason;
  }
}
