package dev.kron.cron;

import org.jspecify.annotations.Nullable;

/**
 * The root of every error type of the declarative-scheduler contract. It lives beside the cron
 * parser because the parser throws some of them and the scheduler library, which throws the others,
 * depends on the parser.
 */
public abstract class SchedulerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  protected SchedulerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
