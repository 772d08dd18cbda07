package dev.kron.scheduler;

/**
 * A listener is told everything that a scheduler does, in order, after it is durable.
 *
 * <p>Called on a thread of its own, so that it delays nobody; what it is too slow for is dropped in
 * the end, and counted. Exceptions are logged and otherwise ignored. None of the scheduler's
 * methods that wait can be called from here.
 */
@FunctionalInterface
public interface SchedulerListener {
  void on(SchedulerEvent event);
}
