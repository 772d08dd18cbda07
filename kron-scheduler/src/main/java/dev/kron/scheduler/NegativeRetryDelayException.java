package dev.kron.scheduler;

import java.time.Duration;

/** A retry delay is below zero. */
public final class NegativeRetryDelayException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final Duration retryDelay;

  NegativeRetryDelayException(Duration retryDelay) {
    super("Retry delay must be non-negative", null);
    this.retryDelay = retryDelay;
  }

  public Duration retryDelay() {
    return retryDelay;
  }

  /** The delay in milliseconds, rounded towards minus infinity, at least {@link Long#MIN_VALUE}. */
  public long retryDelayMs() {
    try {
      return Math.addExact(
          Math.multiplyExact(retryDelay.getSeconds(), 1000L), retryDelay.getNano() / 1_000_000);
    } catch (ArithmeticException tooLarge) {
      return Long.MIN_VALUE;
    }
  }
}
