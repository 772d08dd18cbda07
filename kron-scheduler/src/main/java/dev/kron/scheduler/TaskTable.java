package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.Cause;
import dev.kron.scheduler.SchedulerEvent.RunEvent;
import dev.kron.scheduler.SchedulerEvent.TaskEvent;
import dev.kron.scheduler.SchedulerEvent.TaskRetryStarted;
import dev.kron.scheduler.SchedulerEvent.TaskRunCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All tasks of an active scheduler, and what was decided about them in the present turn but is not
 * durable yet. Decides which tasks start; knows nothing of threads, stores or the clock. The loop's
 * own, except where it says otherwise.
 *
 * <p>One file, though a long one: what it decides in a turn changes tasks, timers and ends
 * together.
 */
final class TaskTable {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);
  private static final long LATE_MILLIS = 60_000;

  private final String identifier;
  private final TaskRun.Surroundings surroundings;
  private final List<Task> tasks;
  private final long activeSinceMillis;
  private final TimerHeap timers = new TimerHeap();
  private final List<Task> changed = new ArrayList<>();
  private final List<End> ends = new ArrayList<>();
  private final Deque<TaskRun> starts = new ArrayDeque<>();
  private final Deadlines deadlines = new Deadlines();

  /** The tasks that instances which live are running. */
  private final Set<Task> elsewhere = new LinkedHashSet<>();

  /** A run that ended, and what is told of it once it is durable. */
  private record End(Task task, TaskEvent event) {}

  /** The tasks by name; made when somebody asks for a task by its name. */
  private @Nullable Map<String, Task> byName;

  private int running;
  private long runs;
  private long latestMillis;

  TaskTable(
      List<Task> tasks, long nowMillis, String identifier, TaskRun.Surroundings surroundings) {
    this.tasks = tasks;
    this.identifier = identifier;
    this.surroundings = surroundings;
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

  /** Takes out what ended and is durable. */
  List<TaskEvent> takeEnds() {
    List<TaskEvent> durable = new ArrayList<>();
    ends.removeIf(end -> !end.task().changed && durable.add(end.event()));
    return durable;
  }

  /** Takes out what ended, durable or not. */
  List<TaskEvent> takeAllEnds() {
    List<TaskEvent> all = ends.stream().map(End::event).toList();
    ends.clear();
    return all;
  }

  /** Whether a run of the task has ended that nobody was told of. */
  boolean hasEnd(Task task) {
    return ends.stream().anyMatch(end -> end.task() == task);
  }

  /** Another instance took the task up while it ran here: that is how it ended. */
  void endedElsewhere(Task task) {
    ends.replaceAll(
        end ->
            end.task() == task && end.event() instanceof RunEvent run
                ? new End(task, takenOver(run))
                : end);
  }

  private static TaskEvent takenOver(RunEvent end) {
    Throwable cause = end instanceof TaskRunFailed failed ? failed.cause() : null;
    Duration duration =
        switch (end) {
          case TaskRunFailed failed -> failed.duration();
          case TaskRunCompleted completed -> completed.duration();
          default -> Duration.ZERO;
        };
    Throwable lost = new TaskTakenOverException(end.taskName(), cause);
    return new TaskRunFailed(end.at(), end.taskName(), lost, null, end.run(), duration);
  }

  /** The tasks whose states are to be written. */
  List<Task> changedTasks() {
    return List.copyOf(changed);
  }

  /** The remembered state of these tasks is the one that is known here. */
  void settled(Collection<Task> tasksInStep) {
    tasksInStep.forEach(task -> task.changed = false);
    changed.removeIf(task -> !task.changed);
  }

  /** Takes back the starts of tasks that somebody else was faster to start. */
  Map<Task, TaskRun> takeBackStarts(Collection<Task> refused) {
    Set<Task> wanted = new HashSet<>(refused);
    Map<Task, TaskRun> taken = new HashMap<>();
    starts.removeIf(
        run -> {
          boolean back = wanted.contains(run.task);
          if (back) {
            taken.put(run.task, run);
          }
          return back;
        });
    taken.values().forEach(this::takeBack);
    return taken;
  }

  /**
   * Takes over what the instances share about a task that does not run here.
   *
   * @param row null if it is not remembered any more
   * @param lives whether the instance that runs it, if one does, is not lost
   */
  void adopt(Task task, SharedTaskStore.@Nullable Row row, boolean lives, long nowMillis) {
    timers.remove(task);
    boolean runsElsewhere = row != null && row.state().runningUnder() != null && lives;
    task.adopt(
        row == null ? null : row.state(),
        row == null ? 0 : row.version(),
        runsElsewhere,
        nowMillis);
    if (runsElsewhere) {
      elsewhere.add(task);
    } else {
      elsewhere.remove(task);
    }
    timers.add(task);
  }

  /** A task's timer is to be looked at again. */
  void reschedule(Task task) {
    if (!task.running()) {
      timers.add(task);
    }
  }

  /** Lets tasks start here whose instances are lost. */
  void release(Predicate<String> gone) {
    for (Task task : List.copyOf(elsewhere)) {
      String instance = task.runningUnder();
      if (instance == null || gone.test(instance)) {
        elsewhere.remove(task);
        task.released();
        reschedule(task);
      }
    }
  }

  /** The runs that may begin once they are durable. */
  Deque<TaskRun> starts() {
    return starts;
  }

  /** All changes are durable. */
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
    deadlines.remove(run);
    if (failure == null) {
      task.succeed(nowMillis);
      ends.add(new End(task, new TaskRunCompleted(now, task.name(), run.identity, run.duration())));
    } else {
      task.fail(nowMillis);
      Instant retryAt = task.awaitingRetry() ? Instant.ofEpochMilli(task.retryMillis()) : null;
      ends.add(
          new End(
              task,
              new TaskRunFailed(now, task.name(), failure, retryAt, run.identity, run.duration())));
    }
    change(task);
    timers.add(task);
  }

  /**
   * Starts the tasks whose time has come.
   *
   * @param atMost how many; the others are left for the next turn
   * @return how many of them start late through no fault of their own, which is logged
   */
  int startDue(long nowMillis, int atMost) {
    int late = 0;
    for (int i = 0; i < atMost; i++) {
      Task task = timers.poll(nowMillis);
      if (task == null) {
        break;
      }
      late += isLate(task, nowMillis) ? 1 : 0;
      start(task, nowMillis);
    }
    if (late > 0) {
      LOG.warn(
          "{} task(s) start more than a minute after they were due: the process or the machine was"
              + " suspended or overloaded, its clock was set, or state could not be written",
          late);
    }
    return late;
  }

  /** Starts a task that nobody's time has come for, because somebody asked for it. */
  TaskRun startNow(Task task, long nowMillis) {
    timers.remove(task);
    return start(task, nowMillis);
  }

  private TaskRun start(Task task, long nowMillis) {
    boolean orphaned = task.orphaned();
    boolean retry = task.awaitingRetry();
    boolean timeHasCome = !task.paused() && task.wakeMillis() <= nowMillis;
    boolean due = timeHasCome && !orphaned && task.due(nowMillis);
    Task.Reason reason =
        due
            ? Task.Reason.OCCURRENCE
            : orphaned || timeHasCome ? Task.Reason.AGAIN : Task.Reason.REQUEST;
    Task.Before before = task.start(reason, nowMillis, identifier);
    SchedulerEvent.Run identity =
        new SchedulerEvent.Run(identifier + "-" + ++runs, task.attempts(), task.scheduledAt());
    TaskEvent started = startedEvent(task, reason, orphaned, identity, nowMillis);
    boolean preempts = retry && started instanceof TaskRunStarted;
    TaskRun run = new TaskRun(task, before, preempts, started, identity, surroundings);
    starts.add(run);
    change(task);
    running++;
    return run;
  }

  private static TaskEvent startedEvent(
      Task task, Task.Reason reason, boolean orphaned, SchedulerEvent.Run run, long nowMillis) {
    Instant now = Instant.ofEpochMilli(nowMillis);
    Instant scheduledAt = run.scheduledAt();
    if (reason == Task.Reason.OCCURRENCE && scheduledAt != null) {
      Instant due = Instant.ofEpochSecond(task.timetable.due(scheduledAt.getEpochSecond()));
      Cause cause = nowMillis - due.toEpochMilli() < LATE_MILLIS ? Cause.DUE : Cause.MISSED;
      return new TaskRunStarted(now, task.name(), cause, due, run);
    }
    if (reason == Task.Reason.AGAIN && !orphaned) {
      return new TaskRetryStarted(now, task.name(), run);
    }
    Cause cause = orphaned ? Cause.ORPHANED : Cause.REQUESTED;
    return new TaskRunStarted(now, task.name(), cause, null, run);
  }

  /** The run's intent is durable and its callback begins. */
  void begun(TaskRun run, long nowNanos) {
    run.task.begun(run);
    deadlines.add(run, nowNanos);
  }

  /** The runs that have outlasted their timeout since this was asked last. */
  List<TaskRun> overtime(long nowNanos) {
    return deadlines.reached(nowNanos);
  }

  /** The milliseconds until {@link #overtime} is to be asked again. */
  long millisToDeadline(long nowNanos) {
    return deadlines.millisLeft(nowNanos);
  }

  /** The runs that have begun and not ended; asked for by any thread. */
  List<TaskRun> runsInProgress() {
    List<TaskRun> inProgress = new ArrayList<>();
    for (Task task : tasks) {
      TaskRun run = task.run();
      if (run != null) {
        inProgress.add(run);
      }
    }
    return inProgress;
  }

  /** All tasks as they are now; asked for by any thread. */
  List<TaskView> views() {
    List<TaskView> views = new ArrayList<>(tasks.size());
    for (Task task : tasks) {
      views.add(task.view());
    }
    return Collections.unmodifiableList(views);
  }

  @Nullable Task find(String name) {
    if (byName == null) {
      byName = HashMap.newHashMap(tasks.size());
      for (Task task : tasks) {
        byName.put(task.name(), task);
      }
    }
    return byName.get(name);
  }

  /** Pauses a task from a moment on, or resumes it with {@link Task#NEVER}. */
  void pause(Task task, long sinceMillis) {
    timers.remove(task);
    task.pausedSince(sinceMillis);
    change(task);
    if (!task.running()) {
      timers.add(task);
    }
  }

  /** Due while nothing but the scheduler itself stood in the way (its last run had ended). */
  private boolean isLate(Task task, long nowMillis) {
    return !task.changed
        && task.wakeMillis() >= activeSinceMillis
        && nowMillis - task.wakeMillis() > LATE_MILLIS;
  }

  /** Takes back the starts of this turn: they could not be made durable. */
  void takeBackStarts(@Nullable Throwable cause) {
    for (TaskRun run : starts) {
      takeBack(run);
      if (run.asked != null) {
        run.asked.fail(cause);
      }
    }
    starts.clear();
  }

  void takeBack(TaskRun run) {
    run.task.takeBack(run.before);
    running--;
    change(run.task);
    timers.add(run.task);
  }

  void change(Task task) {
    if (!task.changed) {
      task.changed = true;
      changed.add(task);
    }
  }
}
