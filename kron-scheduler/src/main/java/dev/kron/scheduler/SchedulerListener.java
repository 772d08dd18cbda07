package dev.kron.scheduler;

/**
 * Is told everything that a scheduler does, in order, after it is durable.
 *
 * <p>Called on the scheduler's own thread (the very first event of an initialization on the
 * caller's): take what you need and return quickly. Exceptions are logged and otherwise ignored.
 * Neither {@code initialize} nor {@code stop} can be called from here.
 */
@FunctionalInterface
public interface SchedulerListener {
  void on(SchedulerEvent event);
}
