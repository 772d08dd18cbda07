package dev.kron.scheduler;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something that a scheduler did, at an instant of its clock. */
public sealed interface SchedulerEvent {
  Instant at();

  /** An event in the life of the scheduler itself. */
  sealed interface Lifecycle extends SchedulerEvent {}

  /** An event in the life of one task. */
  sealed interface TaskEvent extends SchedulerEvent {
    String taskName();
  }

  /** Uninitialized (or stopped) to initializing. */
  record SchedulerInitializationStarted(Instant at) implements Lifecycle {}

  /**
   * Initializing to running.
   *
   * @param newTasks tasks that the store did not know
   * @param preservedTasks tasks with the same configuration as before
   * @param overriddenTasks tasks whose configuration changed; their history is kept
   * @param orphanedTasks tasks that another instance left running; they run at once
   * @param forgottenTasks remembered tasks that are no longer registered
   */
  record SchedulerInitializationCompleted(
      Instant at,
      int newTasks,
      int preservedTasks,
      int overriddenTasks,
      int orphanedTasks,
      int forgottenTasks)
      implements Lifecycle {}

  /** Initializing to uninitialized. */
  record SchedulerInitializationFailed(Instant at, Throwable cause) implements Lifecycle {}

  /** Running to stopping. */
  record SchedulerStopRequested(Instant at) implements Lifecycle {}

  /** Stopping to stopped: nothing runs any more. */
  record SchedulerStopped(Instant at) implements Lifecycle {}

  /** The first task was scheduled. */
  record PollingStarted(Instant at) implements Lifecycle {}

  /** No further due tasks are looked for. */
  record PollingStopRequested(Instant at) implements Lifecycle {}

  /** All running tasks have ended. */
  record PollingStopped(Instant at) implements Lifecycle {}

  /** Why a run started that is not a retry. */
  enum Cause {
    /** An occurrence of its cron expression came. */
    DUE,
    /** An occurrence had come before the scheduler became active: it runs once, late. */
    MISSED,
    /** Another instance had started it and did not finish it. */
    ORPHANED
  }

  /**
   * A task awaiting its run is running.
   *
   * @param due the latest occurrence that this run answers; null for an orphan
   */
  record TaskRunStarted(Instant at, String taskName, Cause cause, @Nullable Instant due)
      implements TaskEvent {}

  /** The callback returned, and that is durable. */
  record TaskRunCompleted(Instant at, String taskName) implements TaskEvent {}

  /**
   * The callback threw, and that is durable.
   *
   * @param retryAt when it will be tried again, unless an occurrence comes first
   */
  record TaskRunFailed(Instant at, String taskName, Throwable cause, Instant retryAt)
      implements TaskEvent {}

  /** A task awaiting its retry is running again. */
  record TaskRetryStarted(Instant at, String taskName) implements TaskEvent {}

  /** An occurrence came before (or with) the retry, and takes its place. */
  record TaskRetryPreempted(Instant at, String taskName) implements TaskEvent {}
}
