package dev.kron.scheduler;

import java.time.ZoneId;

/**
 * Another instance's zone: one task would start at two times of day. Choose the zone in the program
 * rather than taking the machine's.
 */
public final class TaskZoneMismatchException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  private final String taskName;
  private final ZoneId remembered;
  private final ZoneId registered;

  public TaskZoneMismatchException(String taskName, ZoneId remembered, ZoneId registered) {
    super(
        "Task \""
            + taskName
            + "\" is remembered with the zone "
            + remembered
            + ", and this instance means it in "
            + registered
            + ". Choose the same zone in all instances; to change it, give the task another name or"
            + " let a list without it be initialized first.",
        null);
    this.taskName = taskName;
    this.remembered = remembered;
    this.registered = registered;
  }

  public String taskName() {
    return taskName;
  }

  public ZoneId remembered() {
    return remembered;
  }

  public ZoneId registered() {
    return registered;
  }
}
