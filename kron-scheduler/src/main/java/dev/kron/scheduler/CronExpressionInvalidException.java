package dev.kron.scheduler;

import dev.kron.cron.InvalidCronExpressionException;
import dev.kron.cron.SchedulerException;

/** The cron expression of a registration was rejected; the parser's own error is the cause. */
public final class CronExpressionInvalidException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String expression;
  private final String field;
  private final String reason;

  CronExpressionInvalidException(InvalidCronExpressionException cause) {
    super(
        "Invalid cron expression \""
            + cause.expression()
            + "\": "
            + cause.field()
            + " field "
            + cause.reason(),
        cause);
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
