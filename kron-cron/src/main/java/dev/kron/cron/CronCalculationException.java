package dev.kron.cron;

import java.util.Objects;

/** There is no next or previous occurrence to be had; part of the published contract. */
public final class CronCalculationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String expression;
  private final String currentTime;

  public CronCalculationException(String expression, String currentTime, Throwable cause) {
    super("Failed to calculate next occurrence: " + cause.getMessage(), cause);
    this.expression = expression;
    this.currentTime = currentTime;
  }

  /** The expression, as given. */
  public String expression() {
    return expression;
  }

  /** The time the calculation started from, as an ISO-8601 instant. */
  public String currentTime() {
    return currentTime;
  }

  /** Why there is none. Never null. */
  public Throwable cause() {
    return Objects.requireNonNull(getCause());
  }
}
