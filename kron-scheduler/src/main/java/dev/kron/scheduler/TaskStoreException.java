package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/** The store could not be opened, read or written; the original error is the cause. */
public final class TaskStoreException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  public TaskStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
