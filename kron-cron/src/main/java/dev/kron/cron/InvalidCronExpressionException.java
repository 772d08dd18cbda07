package dev.kron.cron;

import org.jspecify.annotations.Nullable;

/** A POSIX cron expression that was rejected; its message is part of the published contract. */
public final class InvalidCronExpressionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String expression;
  private final String field;
  private final String reason;

  InvalidCronExpressionException(
      String expression, String field, String reason, @Nullable FieldParseException cause) {
    super("Invalid cron expression \"" + expression + "\": " + field + " field " + reason, cause);
    this.expression = expression;
    this.field = field;
    this.reason = reason;
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

  /** What is wrong with the field; ends the message. */
  public String reason() {
    return reason;
  }
}
