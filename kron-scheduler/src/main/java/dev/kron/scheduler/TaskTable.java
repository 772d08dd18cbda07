package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.Cause;
import dev.kron.scheduler.SchedulerEvent.TaskEvent;
import dev.kron.scheduler.SchedulerEvent.TaskRetryStarted;
import dev.kron.scheduler.SchedulerEvent.TaskRunCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * All tasks of an active scheduler, and what was decided about them in the present turn but is not
 * durable yet. Decides which tasks start; knows nothing of threads, stores or the clock.
 */
final class TaskTable {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);
  private static final long LATE_MILLIS = 60_000;

  private final String identifier;
  private final Inside inside;
  private final Consumer<TaskRun> whenEnded;

  private final List<Task> tasks;
  private final long activeSinceMillis;
  private final TimerHeap timers = new TimerHeap();
  private final List<Task> changed = new ArrayList<>();
  private final Deque<TaskEvent> ends = new ArrayDeque<>();
  private final Deque<TaskRun> starts = new ArrayDeque<>();
  private int running;
  private long latestMillis;

  TaskTable(
      List<Task> tasks,
      long nowMillis,
      String identifier,
      Inside inside,
      Consumer<TaskRun> whenEnded) {
    this.tasks = tasks;
    this.identifier = identifier;
    this.inside = inside;
    this.whenEnded = whenEnded;
    activeSinceMillis = nowMillis;
    latestMillis = nowMillis;
    fillTimers();
  }

  private void fillTimers() {
    timers.clear(tasks.size());
    for (Task task : tasks) {
      if (!task.running()) {
        timers.add(task);
      }
    }
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  int running() {
    return running;
  }

  long earliestMillis() {
    return timers.earliestMillis();
  }

  /** The present states of all tasks, made as they are asked for. */
  List<TaskState> states() {
    return statesOf(tasks);
  }

  List<TaskState> changedStates() {
    return statesOf(changed);
  }

  private static List<TaskState> statesOf(List<Task> tasks) {
    return new AbstractList<>() {
      @Override
      public TaskState get(int index) {
        return tasks.get(index).state();
      }

      @Override
      public int size() {
        return tasks.size();
      }
    };
  }

  boolean anythingToWrite() {
    return !changed.isEmpty();
  }

  /** Whether something that is durable already was neither told nor begun. */
  boolean anythingToTell() {
    return !ends.isEmpty() || !starts.isEmpty();
  }

  /** What ended and may be told once it is durable. */
  Deque<TaskEvent> ends() {
    return ends;
  }

  /** What may begin once it is durable. */
  Deque<TaskRun> starts() {
    return starts;
  }

  /** Everything that was decided is durable. */
  void written() {
    for (Task task : changed) {
      task.changed = false;
    }
    changed.clear();
  }

  /** Looks for a clock that was set back, which is the only way for a task to be held too long. */
  void noticeClock(long nowMillis) {
    latestMillis = Math.max(latestMillis, nowMillis);
    if (latestMillis - nowMillis < 60_000) {
      return;
    }
    LOG.warn(
        "The clock was set back from {} to {}",
        Instant.ofEpochMilli(latestMillis),
        Instant.ofEpochMilli(nowMillis));
    latestMillis = nowMillis;
    for (Task task : tasks) {
      if (!task.running() && task.clockWasSetBack(nowMillis)) {
        change(task);
      }
    }
    fillTimers();
  }

  void end(TaskRun run, long nowMillis) {
    Task task = run.task;
    Throwable failure = run.failure();
    Instant now = Instant.ofEpochMilli(nowMillis);
    running--;
    if (failure == null) {
      task.succeed(nowMillis);
      ends.add(new TaskRunCompleted(now, task.name()));
    } else {
      task.fail(nowMillis);
      Instant retryAt = Instant.ofEpochMilli(task.retryMillis());
      ends.add(new TaskRunFailed(now, task.name(), failure, retryAt));
    }
    change(task);
    timers.add(task);
  }

  /**
   * Starts every task whose time has come.
   *
   * @return how many of them start late through no fault of their own, which is logged
   */
  int startDue(long nowMillis) {
    int late = 0;
    for (Task task = timers.poll(nowMillis); task != null; task = timers.poll(nowMillis)) {
      late += isLate(task, nowMillis) ? 1 : 0;
      TaskEvent started = startedEvent(task, nowMillis);
      boolean preempts = task.awaitingRetry() && started instanceof TaskRunStarted;
      Task.Before before = task.start(nowMillis, identifier);
      starts.add(new TaskRun(task, before, preempts, started, inside, whenEnded));
      change(task);
      running++;
    }
    if (late > 0) {
      LOG.warn(
          "{} task(s) start more than a minute after they were due: the process or the machine was"
              + " suspended or overloaded, its clock was set, or state could not be written",
          late);
    }
    return late;
  }

  private TaskEvent startedEvent(Task task, long nowMillis) {
    Instant now = Instant.ofEpochMilli(nowMillis);
    if (task.orphaned()) {
      return new TaskRunStarted(now, task.name(), Cause.ORPHANED, null);
    }
    if (!task.due(nowMillis)) {
      return new TaskRetryStarted(now, task.name());
    }
    long due = task.latestDueSecond(nowMillis);
    Cause cause = nowMillis - due * 1000 < LATE_MILLIS ? Cause.DUE : Cause.MISSED;
    return new TaskRunStarted(now, task.name(), cause, Instant.ofEpochSecond(due));
  }

  /** Due while nothing but the scheduler itself stood in the way (its last run had ended). */
  private boolean isLate(Task task, long nowMillis) {
    return !task.changed
        && task.wakeMillis() >= activeSinceMillis
        && nowMillis - task.wakeMillis() > LATE_MILLIS;
  }

  /** Takes back the starts of this turn: they could not be made durable. */
  void takeBackStarts() {
    for (TaskRun run : starts) {
      takeBack(run);
    }
    starts.clear();
  }

  void takeBack(TaskRun run) {
    run.task.takeBack(run.before);
    running--;
    change(run.task);
    timers.add(run.task);
  }

  private void change(Task task) {
    if (!task.changed) {
      task.changed = true;
      changed.add(task);
    }
  }
}
