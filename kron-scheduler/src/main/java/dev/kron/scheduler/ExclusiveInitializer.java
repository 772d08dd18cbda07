package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationCompleted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens the store, compares what it remembers with what is registered, and writes the outcome, all
 * of it or nothing, before anything is scheduled.
 */
final class ExclusiveInitializer implements Initializer {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);

  private final TaskStore store;
  private final Means means;

  ExclusiveInitializer(TaskStore store, Means means) {
    this.store = store;
    this.means = means;
  }

  @Override
  public Result initialize(
      CheckedRegistrations registrations, Map<String, TaskState> unrecorded, Hooks hooks) {
    TaskStore.Session session = null;
    boolean done = false;
    try {
      session = store.open();
      Map<String, TaskState> known = new HashMap<>();
      for (TaskState state : session.load()) {
        TaskJson.requireRange(state, SafeLog.describe(store));
        known.put(state.name(), unrecorded.getOrDefault(state.name(), state));
      }
      Instant now = means.clock().instant();
      List<Task> tasks = new ArrayList<>(registrations.size());
      SchedulerInitializationCompleted event = resolve(registrations, known, now, tasks);
      TaskTable table = means.table(tasks, now, hooks);
      session.replaceAll(table.states());
      done = true;
      ExclusiveWriter writer = new ExclusiveWriter(session, SafeLog.describe(store));
      return new Result(new SchedulerLoop.Active(table, writer), event);
    } catch (Throwable unexpected) {
      throw Initializer.refusal(
          unexpected, SafeLog.describe(store) + " failed, and nothing was changed");
    } finally {
      if (!done && session != null) {
        closeQuietly(session);
      }
    }
  }

  /** Override resolution: what each registration is to what is remembered. */
  private static SchedulerInitializationCompleted resolve(
      CheckedRegistrations registrations,
      Map<String, TaskState> known,
      Instant now,
      List<Task> tasks) {
    int fresh = 0;
    int preserved = 0;
    int overridden = 0;
    int orphaned = 0;
    for (int i = 0; i < registrations.size(); i++) {
      Registration registration = registrations.registrations().get(i);
      TaskState state = known.get(registration.name());
      Task task =
          new Task(registration, registrations.timetables().get(i), state, now.toEpochMilli());
      requireFuture(task, now);
      tasks.add(task);
      if (state == null) {
        fresh++;
      } else if (task.orphaned()) {
        orphaned++;
      } else if (state.sameConfiguration(registration)) {
        preserved++;
      } else {
        overridden++;
      }
    }
    int forgotten = known.size() - preserved - overridden - orphaned;
    return new SchedulerInitializationCompleted(
        now, fresh, preserved, overridden, orphaned, forgotten);
  }

  static void requireFuture(Task task, Instant now) {
    if (task.hasNoFuture()) {
      task.timetable.calendar().next(now); // throws CronCalculationException
    }
  }

  private static void closeQuietly(TaskStore.Session session) {
    try {
      session.close();
    } catch (Throwable secondary) {
      LOG.warn("Closing the task store failed", secondary);
    }
  }
}
