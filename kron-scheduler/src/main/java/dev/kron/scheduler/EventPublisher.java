package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log and the listener. Nothing that they do hurts the scheduler. */
final class EventPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(DeclarativeScheduler.class);

  private final SchedulerListener listener;
  private final Inside inside;

  EventPublisher(SchedulerListener listener, Inside inside) {
    this.listener = listener;
    this.inside = inside;
  }

  void publish(SchedulerEvent event) {
    log(event);
    try {
      inside.run("a listener", () -> listener.on(event));
    } catch (Throwable thrown) {
      LOG.error("The listener failed on {}; the scheduler goes on", event, thrown);
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
