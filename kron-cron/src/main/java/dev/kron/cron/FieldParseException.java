package dev.kron.cron;

/** One field of a POSIX cron expression could not be read; the cause of the expression's error. */
public final class FieldParseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String fieldValue;
  private final String fieldName;

  FieldParseException(String message, String fieldValue, String fieldName) {
    super(message);
    this.fieldValue = fieldValue;
    this.fieldName = fieldName;
  }

  public String fieldValue() {
    return fieldValue;
  }

  public String fieldName() {
    return fieldName;
  }
}
