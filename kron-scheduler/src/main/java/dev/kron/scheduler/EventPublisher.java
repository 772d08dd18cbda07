package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import dev.kron.scheduler.SchedulerEvent.TaskStoreFailed;
import dev.kron.scheduler.SchedulerEvent.TaskStoreRecovered;
import java.util.ArrayList;
import java.util.List;

/** Tells the log and the listeners. Nothing that they do hurts the scheduler. */
final class EventPublisher {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);
  private static final long FLUSH_MILLIS = 2000;

  private final String schedulerName;
  private final List<SchedulerListener> listeners = new ArrayList<>();
  private final List<ListenerQueue> queues = new ArrayList<>();

  /**
   * @param queued whether each listener has a thread of its own; otherwise it is told at once, on
   *     the thread that turns the scheduler, as suits a driver that a test moves by hand
   */
  EventPublisher(
      String schedulerName, List<SchedulerListener> chosen, Inside inside, boolean queued) {
    this.schedulerName = schedulerName;
    for (SchedulerListener listener : chosen) {
      SchedulerListener safe = event -> tell(listener, event, inside);
      if (queued) {
        ListenerQueue queue = new ListenerQueue(safe, schedulerName + "-listener");
        queues.add(queue);
        listeners.add(queue);
      } else {
        listeners.add(safe);
      }
    }
  }

  void publish(SchedulerEvent event) {
    log(event);
    for (SchedulerListener listener : listeners) {
      listener.on(event);
    }
  }

  private static void tell(SchedulerListener listener, SchedulerEvent event, Inside inside) {
    boolean interrupted = Thread.currentThread().isInterrupted();
    try {
      inside.run(Inside.LISTENER, () -> listener.on(event));
    } catch (Throwable thrown) {
      String told = SafeLog.describe(event);
      LOG.error("The listener failed on {}; the scheduler goes on", told, thrown);
    }
    if (!interrupted) {
      Thread.interrupted(); // the listener's business: the next write must not suffer from it
    }
  }

  /** The number of events that listeners were not told because they did not keep up. */
  long dropped() {
    return queues.stream().mapToLong(ListenerQueue::dropped).sum();
  }

  /** Waits for the listeners to have been told everything so far, but not for long. */
  void flush() {
    try {
      for (ListenerQueue queue : queues) {
        queue.flush(FLUSH_MILLIS);
      }
    } catch (InterruptedException enough) {
      Thread.currentThread().interrupt();
    }
  }

  private void log(SchedulerEvent event) {
    switch (event) {
      case TaskRunFailed failed -> logFailure(failed);
      case SchedulerInitializationFailed failed ->
          LOG.error("The scheduler \"{}\" could not be initialized", schedulerName, failed.cause());
      case TaskStoreFailed ignored -> {} // whoever failed to write has said more
      case TaskStoreRecovered ignored -> {}
      case SchedulerEvent.Lifecycle lifecycle -> LOG.info("{} {}", schedulerName, lifecycle);
      case SchedulerEvent.TaskEvent task -> LOG.debug("{} {}", schedulerName, task);
    }
  }

  private void logFailure(TaskRunFailed failed) {
    try {
      LogContext.run(
          schedulerName,
          failed.taskName(),
          failed.run().id(),
          () ->
              LOG.warn(
                  "Task \"{}\" failed; {}",
                  failed.taskName(),
                  failed.retryAt() == null
                      ? "it waits for its next occurrence"
                      : "it will be tried again at " + failed.retryAt(),
                  failed.cause()));
    } catch (Exception impossible) {
      throw new AssertionError(impossible);
    }
  }
}
