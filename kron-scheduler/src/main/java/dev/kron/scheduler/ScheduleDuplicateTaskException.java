package dev.kron.scheduler;

/** Two registrations have the same name. */
public final class ScheduleDuplicateTaskException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String taskName;

  ScheduleDuplicateTaskException(String taskName) {
    super("Task with name \"" + taskName + "\" is already scheduled", null);
    this.taskName = taskName;
  }

  public String taskName() {
    return taskName;
  }
}
