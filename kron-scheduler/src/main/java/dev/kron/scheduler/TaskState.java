package dev.kron.scheduler;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * All that is remembered of one task. Instants are whole milliseconds.
 *
 * @param lastAttemptAt start of the most recent run, whether it succeeded, failed or was cut off
 * @param lastSuccessAt end of the most recent run that succeeded
 * @param lastFailureAt end of the most recent run that failed
 * @param pendingRetryUntil when a retry is allowed; null unless the task is awaiting one
 * @param runningUnder the identifier of the scheduler that is running it; null when it is not
 *     running
 * @param attempts how often what is running or awaiting its retry was attempted; 0 where that goes
 *     without saying, which is once
 * @param scheduledAt the occurrence that was attempted last; null where it goes without saying or
 *     there is none
 * @param pausedAt since when the task is paused; null when it is not
 */
public record TaskState(
    String name,
    String cronExpression,
    Duration retryDelay,
    @Nullable Instant lastAttemptAt,
    @Nullable Instant lastSuccessAt,
    @Nullable Instant lastFailureAt,
    @Nullable Instant pendingRetryUntil,
    @Nullable String runningUnder,
    int attempts,
    @Nullable Instant scheduledAt,
    @Nullable Instant pausedAt) {

  /** A task that is not paused and of whose present occurrence nothing is known. */
  public TaskState(
      String name,
      String cronExpression,
      Duration retryDelay,
      @Nullable Instant lastAttemptAt,
      @Nullable Instant lastSuccessAt,
      @Nullable Instant lastFailureAt,
      @Nullable Instant pendingRetryUntil,
      @Nullable String runningUnder) {
    this(
        name,
        cronExpression,
        retryDelay,
        lastAttemptAt,
        lastSuccessAt,
        lastFailureAt,
        pendingRetryUntil,
        runningUnder,
        0,
        null,
        null);
  }

  /** Whether a registration asks for exactly what is remembered. */
  boolean sameConfiguration(Registration registration) {
    return name.equals(registration.name())
        && cronExpression.equals(registration.cronExpression())
        && retryDelay.equals(registration.retryDelay());
  }
}
