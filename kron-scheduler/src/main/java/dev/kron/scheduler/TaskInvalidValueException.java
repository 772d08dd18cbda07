package dev.kron.scheduler;

/** A field of a remembered task has the right type and a value that cannot be. */
public final class TaskInvalidValueException extends TaskTryDeserializeException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * Names what a store has found.
   *
   * @param reason what is wrong with the value, for people
   * @param source where it was found, as exactly as the store can say
   */
  public TaskInvalidValueException(
      String field, Object value, String expectedType, String reason, String source) {
    super("Invalid value for field '" + field + "': " + reason, field, value, expectedType, source);
    this.reason = reason;
  }

  public String reason() {
    return reason;
  }
}
