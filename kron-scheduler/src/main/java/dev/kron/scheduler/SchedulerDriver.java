package dev.kron.scheduler;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The place where a scheduler meets threads and the passing of time. In production a thread drives
 * it; the test kit drives the same loop by hand. A driver belongs to one scheduler.
 */
public interface SchedulerDriver {
  /**
   * Begins to call {@link Loop#turn} again and again: when the time that it returned has come, when
   * {@link #wake} was called, and now and then in between, because clocks are set; until it returns
   * {@link Loop#FINISHED}.
   */
  void drive(Loop loop);

  /** The loop is to be turned soon, because something happened. Called by any thread. */
  void wake();

  /** Begins a run, and returns without waiting for it. */
  void begin(Run run);

  /** Blocks a caller of the scheduler until the stage has completed. */
  void await(CompletionStage<?> done) throws InterruptedException;

  /** The same, but not for longer than the limit; whether the stage has completed. */
  default boolean await(CompletionStage<?> done, Duration limit) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    done.whenComplete((result, failure) -> latch.countDown());
    return latch.await(TaskRun.nanos(limit), TimeUnit.NANOSECONDS);
  }

  /** Asks a run to end before its time. It ends when it ends. */
  default void interrupt(Run run) {
    run.interrupt();
  }

  /** A name that no other scheduler has or had, by which a run of another one is known. */
  default String newIdentifier() {
    return UUID.randomUUID().toString();
  }

  /** Time that passes, whatever the clock shows, by which durations and timeouts are measured. */
  default long nanoTime() {
    return System.nanoTime();
  }

  /** The loop that is driven. Never called by two threads at once. */
  interface Loop {
    long FINISHED = Long.MIN_VALUE;

    /**
     * The loop does everything that is to be done now.
     *
     * @return the epoch millisecond, by the scheduler's clock, at which there is something to do
     *     again, or {@link #FINISHED}
     */
    long turn();
  }

  /** One execution of a task's callback. */
  interface Run {
    String taskName();

    /** Executes the callback. */
    void execute() throws Exception;

    /** Interrupts the thread that executes the callback, now or as soon as there is one. */
    void interrupt();

    /**
     * Reports the end of the callback, exactly once, from any thread.
     *
     * @param failure what it threw, or null if it returned
     */
    void ended(@Nullable Throwable failure);
  }
}
