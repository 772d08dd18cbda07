package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * The lease of this instance was over while the task ran, and another one has taken the task up:
 * how the run ended is not on record.
 */
public final class TaskTakenOverException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String taskName;

  TaskTakenOverException(String taskName, @Nullable Throwable cause) {
    super(
        "Task \""
            + taskName
            + "\" was taken up by another instance while it ran here, because this one could not"
            + " renew its lease; how it ended here is not on record",
        cause);
    this.taskName = taskName;
  }

  public String taskName() {
    return taskName;
  }
}
