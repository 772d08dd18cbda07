package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/** The root of every error that a scheduler throws. */
public abstract class SchedulerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  protected SchedulerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
