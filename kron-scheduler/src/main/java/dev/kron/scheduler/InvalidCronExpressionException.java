package dev.kron.scheduler;

/**
 * A cron expression could not be read. The cause is the field's {@link FieldParseException} or,
 * where no single field is at fault, the parser's own error.
 */
public final class InvalidCronExpressionException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String expression;
  private final String field;
  private final String reason;

  InvalidCronExpressionException(dev.kron.cron.InvalidCronExpressionException parsers) {
    super(
        String.valueOf(parsers.getMessage()),
        parsers.getCause() instanceof dev.kron.cron.FieldParseException field
            ? new FieldParseException(field)
            : parsers);
    this.expression = parsers.expression();
    this.field = parsers.field();
    this.reason = parsers.reason();
  }

  /** The whole expression, as given. */
  public String expression() {
    return expression;
  }

  /**
   * {@code minute}, {@code hour}, {@code day}, {@code month}, {@code weekday} or {@code
   * expression}.
   */
  public String field() {
    return field;
  }

  /** The reason why the field is invalid; it ends the message. */
  public String reason() {
    return reason;
  }
}
