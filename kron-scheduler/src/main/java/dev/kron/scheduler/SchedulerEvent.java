package dev.kron.scheduler;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An event that a scheduler tells, with the instant of its clock. */
public sealed interface SchedulerEvent {
  Instant at();

  /** An event in the life of the scheduler itself. */
  sealed interface Lifecycle extends SchedulerEvent {}

  /** An event in the life of one task. */
  sealed interface TaskEvent extends SchedulerEvent {
    String taskName();
  }

  /**
   * The identity of one run.
   *
   * @param id unique among all runs of all schedulers
   * @param attempt 1 for the first attempt at an occurrence, 2 for its first retry
   * @param scheduledAt the occurrence of the cron expression that it answers; null if somebody
   *     asked for the run, or it is not known
   */
  record Run(String id, int attempt, @Nullable Instant scheduledAt) {}

  /** An event in the life of one run. */
  sealed interface RunEvent extends TaskEvent {
    Run run();
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

  /** State cannot be written, or not be looked at: what cannot be written does not start. */
  record TaskStoreFailed(Instant at, Throwable cause) implements Lifecycle {}

  /** State can be written again. */
  record TaskStoreRecovered(Instant at) implements Lifecycle {}

  /** The reason why a run started that is not a retry. */
  enum Cause {
    /** An occurrence of its cron expression came. */
    DUE,
    /** An occurrence had come before the scheduler became active: it runs once, late. */
    MISSED,
    /** Another instance had started it and did not finish it. */
    ORPHANED,
    /** Somebody asked for it, with {@link DeclarativeScheduler#runNow}. */
    REQUESTED
  }

  /**
   * A task awaiting its run is running.
   *
   * @param due when the latest occurrence that this run answers was due; null for an orphan and for
   *     a run that somebody asked for
   */
  record TaskRunStarted(Instant at, String taskName, Cause cause, @Nullable Instant due, Run run)
      implements RunEvent {}

  /**
   * The callback returned, and that is durable.
   *
   * @param duration how long it took
   */
  record TaskRunCompleted(Instant at, String taskName, Run run, Duration duration)
      implements RunEvent {}

  /**
   * The callback threw, and that is durable.
   *
   * @param retryAt when it will be tried again, unless an occurrence comes first; null if its
   *     retries are used up
   * @param duration how long it took
   */
  record TaskRunFailed(
      Instant at,
      String taskName,
      Throwable cause,
      @Nullable Instant retryAt,
      Run run,
      Duration duration)
      implements RunEvent {}

  /** A task awaiting its retry is running again. */
  record TaskRetryStarted(Instant at, String taskName, Run run) implements RunEvent {}

  /** A task starts no more until it is resumed, and that is durable. */
  record TaskPaused(Instant at, String taskName) implements TaskEvent {}

  /** A task that was paused starts again, and that is durable. */
  record TaskResumed(Instant at, String taskName) implements TaskEvent {}

  /** An occurrence came before (or with) the retry, and takes its place. */
  record TaskRetryPreempted(Instant at, String taskName) implements TaskEvent {}
}
