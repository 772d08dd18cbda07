package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;

/** Tells the log and the listener. Nothing that they do hurts the scheduler. */
final class EventPublisher {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);

  private final SchedulerListener listener;
  private final Inside inside;

  EventPublisher(SchedulerListener listener, Inside inside) {
    this.listener = listener;
    this.inside = inside;
  }

  void publish(SchedulerEvent event) {
    log(event);
    boolean interrupted = Thread.currentThread().isInterrupted();
    try {
      inside.run("a listener", () -> listener.on(event));
    } catch (Throwable thrown) {
      String told = SafeLog.describe(event);
      LOG.error("The listener failed on {}; the scheduler goes on", told, thrown);
    }
    if (!interrupted) {
      Thread.interrupted(); // the listener's business: the next write must not suffer from it
    }
  }

  private static void log(SchedulerEvent event) {
    switch (event) {
      case TaskRunFailed failed ->
          LOG.warn(
              "Task \"{}\" failed; it will be tried again at {}",
              failed.taskName(),
              failed.retryAt(),
              failed.cause());
      case SchedulerInitializationFailed failed ->
          LOG.error("The scheduler could not be initialized", failed.cause());
      case SchedulerEvent.Lifecycle lifecycle -> LOG.info("{}", lifecycle);
      case SchedulerEvent.TaskEvent task -> LOG.debug("{}", task);
    }
  }
}
