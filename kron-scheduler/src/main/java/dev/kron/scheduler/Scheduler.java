package dev.kron.scheduler;

import java.util.List;

/** The whole of a scheduler's life: it is given its tasks, and it is stopped. */
public interface Scheduler extends AutoCloseable {
  /**
   * Takes the complete list of tasks, compares it with what the store remembers, and starts to run
   * them. Returns when everything is durable and the scheduler is running.
   *
   * @throws SchedulerException if the list is not valid, the state cannot be read or written, or
   *     the scheduler is already active; nothing has been scheduled then
   */
  void initialize(List<Registration> registrations);

  /**
   * Starts nothing more and waits, without limit, for the callbacks that are running. Does nothing
   * on a scheduler that is not active. May be called by several threads at once and while {@link
   * #initialize} is in progress, which it lets finish first.
   */
  void stop();

  /** The same as {@link #stop}. */
  @Override
  default void close() {
    stop();
  }
}
