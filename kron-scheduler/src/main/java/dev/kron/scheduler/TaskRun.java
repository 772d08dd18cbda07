package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.TaskEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One run of a task, from the decision to start it to the report of its end. */
final class TaskRun implements SchedulerDriver.Run {
  final Task task;
  final Task.Before before;

  /** Whether a retry was pending that this run takes the place of. */
  final boolean preempts;

  final TaskEvent started;

  private final Inside inside;
  private final Consumer<TaskRun> whenEnded;
  private @Nullable Throwable failure;

  TaskRun(
      Task task,
      Task.Before before,
      boolean preempts,
      TaskEvent started,
      Inside inside,
      Consumer<TaskRun> whenEnded) {
    this.task = task;
    this.before = before;
    this.preempts = preempts;
    this.started = started;
    this.inside = inside;
    this.whenEnded = whenEnded;
  }

  @Override
  public String taskName() {
    return task.name();
  }

  @Override
  public void execute() throws Exception {
    inside.run(this, task.registration.callback());
  }

  @Override
  public void ended(@Nullable Throwable thrown) {
    failure = thrown;
    whenEnded.accept(this);
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public String toString() {
    return "the callback of task \"" + taskName() + "\"";
  }
}
