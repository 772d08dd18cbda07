package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationCompleted;
import java.util.Map;
import java.util.function.Consumer;

/** Opens a store and makes a table of what it remembers and what is registered. */
interface Initializer {
  /** An active scheduler, and the event that says so. */
  record Result(SchedulerLoop.Active active, SchedulerInitializationCompleted event) {}

  /**
   * Where an active scheduler meets its loop.
   *
   * @param whenLapsed what to do when others may take up what runs here
   */
  record Hooks(
      SchedulerDriver driver,
      Consumer<TaskRun> whenEnded,
      Runnable whenLapsed,
      Requests requests) {}

  /**
   * @param unrecorded newer states than the store's, of runs whose end could not be written
   * @throws SchedulerException if the store cannot be read or written; it is as it was then
   */
  Result initialize(
      CheckedRegistrations registrations, Map<String, TaskState> unrecorded, Hooks hooks);
}
