package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * A thing that the host supplied (a clock, a list, an executor) or the machine itself (a thread
 * that could not be started) failed in a way that no other exception here names. The original error
 * is the cause.
 */
public final class SchedulerFailureException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  SchedulerFailureException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
