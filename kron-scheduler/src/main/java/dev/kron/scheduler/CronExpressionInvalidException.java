package dev.kron.scheduler;

/**
 * The cron expression of a registration was rejected; an {@link InvalidCronExpressionException} in
 * the same words is the cause.
 */
public final class CronExpressionInvalidException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String expression;
  private final String field;
  private final String reason;

  CronExpressionInvalidException(InvalidCronExpressionException cause) {
    super(String.valueOf(cause.getMessage()), cause);
    this.expression = cause.expression();
    this.field = cause.field();
    this.reason = cause.reason();
  }

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

  public String reason() {
    return reason;
  }
}
