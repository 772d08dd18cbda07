package dev.kron.scheduler;

/** One field of a cron expression could not be read; the parser's own error is the cause. */
public final class FieldParseException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String fieldValue;
  private final String fieldName;

  FieldParseException(dev.kron.cron.FieldParseException cause) {
    super(String.valueOf(cause.getMessage()), cause);
    this.fieldValue = cause.fieldValue();
    this.fieldName = cause.fieldName();
  }

  public String fieldValue() {
    return fieldValue;
  }

  public String fieldName() {
    return fieldName;
  }
}
