package dev.kron.scheduler;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A run took longer than its task's timeout. What the callback threw when it was interrupted is the
 * cause.
 */
public final class TaskTimeoutException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String taskName;
  private final Duration timeout;

  TaskTimeoutException(String taskName, Duration timeout, @Nullable Throwable cause) {
    super("Task \"" + taskName + "\" was interrupted after its timeout of " + timeout, cause);
    this.taskName = taskName;
    this.timeout = timeout;
  }

  public String taskName() {
    return taskName;
  }

  public Duration timeout() {
    return timeout;
  }
}
