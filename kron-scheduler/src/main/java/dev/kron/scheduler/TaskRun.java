package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.TaskEvent;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One run of a task, from the decision to start it to the report of its end. */
final class TaskRun implements SchedulerDriver.Run {
  final Task task;
  final Task.Before before;

  /** Whether a retry was pending that this run takes the place of. */
  final boolean preempts;

  final TaskEvent started;
  final SchedulerEvent.Run identity;

  private final Surroundings surroundings;

  /** Answered when the run has begun; null unless somebody asked for it. */
  @Nullable TaskRequest asked;

  private @Nullable Thread runner;
  private boolean interrupted;
  private boolean overtime;
  private boolean over;
  private boolean executing;
  private long startNanos;
  private long endNanos;
  private @Nullable Throwable failure;

  /**
   * The things that all runs of a scheduler share.
   *
   * @param name the scheduler's
   */
  record Surroundings(
      String name,
      List<RunInterceptor> interceptors,
      Inside inside,
      SchedulerDriver driver,
      Consumer<TaskRun> whenEnded) {}

  TaskRun(
      Task task,
      Task.Before before,
      boolean preempts,
      TaskEvent started,
      SchedulerEvent.Run identity,
      Surroundings surroundings) {
    this.task = task;
    this.before = before;
    this.preempts = preempts;
    this.started = started;
    this.identity = identity;
    this.surroundings = surroundings;
  }

  @Override
  public String taskName() {
    return task.name();
  }

  @Override
  public void execute() throws Exception {
    enter(Thread.currentThread());
    try {
      LogContext.run(
          surroundings.name(),
          taskName(),
          identity.id(),
          () -> surroundings.inside().run(this, callback()));
    } finally {
      leave();
    }
  }

  /** The task's callback in its interceptors, the first one outermost. */
  private Callback callback() {
    RunContext context =
        new RunContext(
            surroundings.name(),
            taskName(),
            identity.id(),
            identity.attempt(),
            identity.scheduledAt(),
            task.fencingToken());
    Callback whole = () -> task.registration.callback().run(context);
    for (RunInterceptor interceptor : surroundings.interceptors().reversed()) {
      Callback inner = whole;
      whole = () -> interceptor.around(context, inner);
    }
    return whole;
  }

  private synchronized void enter(Thread thread) {
    runner = thread;
    executing = true;
    startNanos = surroundings.driver().nanoTime();
    if (interrupted) {
      thread.interrupt();
    }
  }

  private synchronized void leave() {
    runner = null;
    if (interrupted) {
      Thread.interrupted(); // it was meant for the callback, not for whoever has the thread next
    }
  }

  @Override
  public synchronized void interrupt() {
    interrupted = true;
    if (runner != null) {
      runner.interrupt();
    }
  }

  /**
   * The time that the callback may still take, in nanoseconds; the whole timeout as long as it
   * waits for a thread. When nothing is left, the run is failed, whatever becomes of it.
   */
  synchronized long nanosLeft(long nowNanos, Duration timeout) {
    long nanos = TaskRun.nanos(timeout);
    long left = executing ? nanos - (nowNanos - startNanos) : nanos;
    if (left <= 0 && !over) {
      overtime = true;
    }
    return left;
  }

  /** The nanoseconds of a duration, as much of it as fits; nothing of one that is negative. */
  static long nanos(Duration duration) {
    if (duration.isNegative()) {
      return 0;
    }
    return duration.compareTo(Duration.ofDays(36_500)) > 0
        ? Duration.ofDays(36_500).toNanos()
        : duration.toNanos();
  }

  @Override
  public void ended(@Nullable Throwable thrown) {
    synchronized (this) {
      over = true;
      endNanos = surroundings.driver().nanoTime();
      failure = overtime ? timedOut(thrown) : thrown;
    }
    surroundings.whenEnded().accept(this);
  }

  private TaskTimeoutException timedOut(@Nullable Throwable thrown) {
    Duration timeout = task.registration.options().timeout();
    return new TaskTimeoutException(taskName(), timeout == null ? Duration.ZERO : timeout, thrown);
  }

  synchronized @Nullable Throwable failure() {
    return failure;
  }

  /** The time that the callback took. */
  synchronized Duration duration() {
    return executing ? Duration.ofNanos(Math.max(0, endNanos - startNanos)) : Duration.ZERO;
  }

  @Override
  public String toString() {
    return "the callback of task \"" + taskName() + "\"";
  }
}
