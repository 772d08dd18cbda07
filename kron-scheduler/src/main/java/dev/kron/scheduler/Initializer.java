package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationCompleted;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Opens a store and makes a table of what it remembers and what is registered. */
interface Initializer {
  /** An active scheduler, and the event that says so. */
  record Result(SchedulerLoop.Active active, SchedulerInitializationCompleted event) {}

  /**
   * The places where an active scheduler meets its loop.
   *
   * @param whenLapsed what to do when others may take up what runs here
   */
  record Hooks(
      SchedulerDriver driver,
      Consumer<TaskRun> whenEnded,
      Runnable whenLapsed,
      Requests requests) {}

  /**
   * The parts of a scheduler that do not depend on its store.
   *
   * @param identifier tells this scheduler from all others, those of its name included
   */
  record Means(
      SafeClock clock,
      String identifier,
      String name,
      List<RunInterceptor> interceptors,
      Inside inside) {
    public Means {
      interceptors = List.copyOf(interceptors);
    }

    TaskTable table(List<Task> tasks, Instant now, Hooks hooks) {
      return new TaskTable(
          tasks,
          now.toEpochMilli(),
          identifier,
          new TaskRun.Surroundings(name, interceptors, inside, hooks.driver(), hooks.whenEnded()));
    }
  }

  /** The exception that keeps a scheduler from being initialized, as its users know it. */
  static SchedulerException refusal(Throwable thrown, String what) {
    return switch (thrown) {
      case SchedulerException meant -> meant;
      case dev.kron.cron.CronCalculationException noFuture ->
          new CronCalculationException(noFuture);
      default ->
          new TaskStoreException(
              "Cannot initialize scheduler: the task store "
                  + what
                  + ": "
                  + SafeLog.describe(thrown),
              thrown);
    };
  }

  /**
   * @param unrecorded newer states than the store's, of runs whose end could not be written
   * @throws SchedulerException if the store cannot be read or written; it is as it was then
   */
  Result initialize(
      CheckedRegistrations registrations, Map<String, TaskState> unrecorded, Hooks hooks);
}
