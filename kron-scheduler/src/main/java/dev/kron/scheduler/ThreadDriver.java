package dev.kron.scheduler;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Drives a scheduler with a thread, and its callbacks with a virtual thread each or an executor of
 * the host's.
 *
 * <p>The thread is not a daemon: like any executor's, it keeps the process alive until the
 * scheduler is stopped.
 */
final class ThreadDriver implements SchedulerDriver {
  /**
   * Waiting is done by the monotonic clock; only looking again finds that the other one was set.
   */
  private static final long MAX_WAIT_MILLIS = 1000;

  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);

  private final SafeClock clock;
  private final String name;
  private final @Nullable Executor executor;
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile @Nullable Thread thread;

  /**
   * @param name of the thread
   * @param executor of the callbacks; null for a virtual thread each
   */
  ThreadDriver(SafeClock clock, String name, @Nullable Executor executor) {
    this.clock = clock;
    this.name = name;
    this.executor = executor;
  }

  @Override
  public void drive(Loop loop) {
    Thread started = Thread.ofPlatform().name(name).unstarted(() -> turn(loop));
    thread = started;
    started.start();
  }

  private void turn(Loop loop) {
    while (true) {
      woken.set(false);
      long next = turnOnce(loop);
      if (next == Loop.FINISHED) {
        return;
      }
      long now = clock.millis();
      // Compared before they are subtracted: what is overdue since ever has the smallest number.
      long waitMillis = next <= now ? 0 : Math.min(next, now + MAX_WAIT_MILLIS) - now;
      if (waitMillis > 0 && !woken.get()) {
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(waitMillis));
      }
      Thread.interrupted(); // nobody has business interrupting this thread, and files mind it
    }
  }

  /** The loop takes care of itself, but if this thread ended, nobody would be left to. */
  private static long turnOnce(Loop loop) {
    try {
      return loop.turn();
    } catch (Throwable unexpected) {
      LOG.error("A turn of the scheduler failed; it goes on", unexpected);
      return Long.MAX_VALUE;
    }
  }

  @Override
  public void wake() {
    if (!woken.getAndSet(true)) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void begin(Run run) {
    if (executor == null) {
      Thread.ofVirtual().name(run.taskName()).start(() -> execute(run));
      return;
    }
    AtomicBoolean taken = new AtomicBoolean();
    try {
      executor.execute(
          () -> {
            if (!taken.getAndSet(true)) {
              execute(run);
            }
          });
    } catch (Throwable failed) {
      if (!taken.getAndSet(true)) {
        throw failed;
      }
      LOG.warn("The executor failed although it has taken {}", run, failed);
    }
  }

  private void execute(Run run) {
    Throwable failure = null;
    try {
      if (Thread.currentThread().equals(thread)) {
        throw new RejectedExecutionException(
            "the executor would run callbacks on the scheduler's own thread, and hold up all"
                + " others");
      }
      run.execute();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    run.ended(failure);
  }

  @Override
  public void await(CompletionStage<?> done) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    done.whenComplete((result, failure) -> latch.countDown());
    latch.await();
  }
}
