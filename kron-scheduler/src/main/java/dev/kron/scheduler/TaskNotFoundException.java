package dev.kron.scheduler;

/** No task of that name is registered. */
public final class TaskNotFoundException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String taskName;

  TaskNotFoundException(String taskName) {
    super("No task with name \"" + taskName + "\" is scheduled", null);
    this.taskName = taskName;
  }

  public String taskName() {
    return taskName;
  }
}
