package dev.kron.scheduler;

/** A cron expression has no next occurrence. */
public final class CronCalculationException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String expression;
  private final String currentTime;
  private final Throwable reason;

  CronCalculationException(dev.kron.cron.CronCalculationException calendars) {
    super(String.valueOf(calendars.getMessage()), calendars.cause());
    this.expression = calendars.expression();
    this.currentTime = calendars.currentTime();
    this.reason = calendars.cause();
  }

  /** The expression, as given. */
  public String expression() {
    return expression;
  }

  /** The time the calculation started from, as an ISO-8601 instant. */
  public String currentTime() {
    return currentTime;
  }

  /** The reason why there is none. */
  public Throwable cause() {
    return reason;
  }
}
