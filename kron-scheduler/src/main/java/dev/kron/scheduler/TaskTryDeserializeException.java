package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * Remembered task state could not be read. The state stays as it is: a scheduler that cannot read
 * its memory does not start, rather than forgetting what ran.
 */
public abstract sealed class TaskTryDeserializeException extends SchedulerException
    permits TaskMissingFieldException,
        TaskInvalidTypeException,
        TaskInvalidValueException,
        TaskInvalidStructureException {
  private static final long serialVersionUID = 1L;

  private final String field;
  private final transient @Nullable Object value;
  private final String expectedType;
  private final String source;

  TaskTryDeserializeException(
      String message, String field, @Nullable Object value, String expectedType, String source) {
    super(message, null);
    this.field = field;
    this.value = value;
    this.expectedType = expectedType;
    this.source = source;
  }

  /** The field's name; empty where the structure as a whole is wrong. */
  public String field() {
    return field;
  }

  /** The value that was found. */
  public @Nullable Object value() {
    return value;
  }

  /** {@code string}, {@code number}, {@code array}, {@code object} … */
  public String expectedType() {
    return expectedType;
  }

  /** The place where it was found: file and line, where the store has such. */
  public String source() {
    return source;
  }

  /** The exception's name, its message, and where the state was found. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // the message is a contract, word for word
  public String toString() {
    return source.isEmpty() ? super.toString() : super.toString() + " (" + source + ")";
  }
}
