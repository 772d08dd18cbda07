package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationCompleted;
import dev.kron.scheduler.SharedTaskStore.Joined;
import dev.kron.scheduler.SharedTaskStore.Membership;
import dev.kron.scheduler.SharedTaskStore.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Joins those who share a store. What they run goes on; only what the lost left is restarted. */
final class SharedInitializer implements Initializer {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);

  private final SharedTaskStore store;
  private final Means means;

  SharedInitializer(SharedTaskStore store, Means means) {
    this.store = store;
    this.means = means;
  }

  @Override
  public Result initialize(
      CheckedRegistrations registrations, Map<String, TaskState> unrecorded, Hooks hooks) {
    Membership membership = null;
    boolean done = false;
    try {
      List<TaskConfiguration> configurations = configurations(registrations);
      membership =
          store.join(
              new SharedTaskStore.Member(means.identifier(), means.name(), hooks.whenLapsed()),
              configurations);
      Map<String, Row> rows = new HashMap<>();
      for (Row row : membership.changes()) {
        TaskJson.requireRange(row.state(), SafeLog.describe(store));
        rows.put(row.state().name(), row);
      }
      Instant now = means.clock().instant();
      List<Task> tasks = new ArrayList<>();
      for (int i = 0; i < registrations.size(); i++) {
        Registration registration = registrations.registrations().get(i);
        Row row = rows.get(registration.name());
        TaskTimetable timetable = registrations.timetables().get(i);
        Task task =
            new Task(registration, timetable, row == null ? null : row.state(), now.toEpochMilli());
        ExclusiveInitializer.requireFuture(task, now);
        tasks.add(task);
      }
      TaskTable table = means.table(tasks, now, hooks);
      SharedWriter writer =
          new SharedWriter(
              membership, means.identifier(), configurations, SafeLog.describe(store), hooks);
      rows.values().forEach(row -> writer.meet(table, row, now.toEpochMilli()));
      done = true;
      int orphaned = (int) tasks.stream().filter(Task::orphaned).count();
      return new Result(
          new SchedulerLoop.Active(table, writer), event(membership.joined(), orphaned, now));
    } catch (Throwable unexpected) {
      throw Initializer.refusal(unexpected, SafeLog.describe(store) + " failed");
    } finally {
      if (!done && membership != null) {
        closeQuietly(membership);
      }
    }
  }

  private static List<TaskConfiguration> configurations(CheckedRegistrations registrations) {
    List<TaskConfiguration> configurations = new ArrayList<>(registrations.size());
    for (int i = 0; i < registrations.size(); i++) {
      configurations.add(
          TaskConfiguration.of(
              registrations.registrations().get(i),
              registrations.timetables().get(i).calendar().zone()));
    }
    return configurations;
  }

  private static SchedulerInitializationCompleted event(Joined joined, int orphaned, Instant now) {
    int preserved = Math.max(0, joined.preservedTasks() - orphaned);
    return new SchedulerInitializationCompleted(
        now,
        joined.newTasks(),
        preserved,
        joined.overriddenTasks(),
        orphaned,
        joined.forgottenTasks());
  }

  private static void closeQuietly(Membership membership) {
    try {
      membership.close();
    } catch (Throwable secondary) {
      LOG.warn("Leaving the task store failed", secondary);
    }
  }
}
