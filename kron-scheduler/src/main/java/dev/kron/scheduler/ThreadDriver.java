package dev.kron.scheduler;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
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

  /** The thread that gives the host's executor its work; there while there is some to give. */
  private final ThreadPoolExecutor giver;

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
    giver =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name(name + "-executor").daemon().factory());
    giver.allowCoreThreadTimeOut(true);
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
    Executor chosen = executor;
    if (chosen == null) {
      Thread.ofVirtual().name(run.taskName()).start(() -> execute(run));
    } else {
      giver.execute(() -> give(run, chosen));
    }
  }

  /** An executor may let whoever gives it work wait: that must not be the loop. */
  private static void give(Run run, Executor executor) {
    Thread giving = Thread.currentThread();
    AtomicBoolean taken = new AtomicBoolean();
    try {
      executor.execute(
          () -> {
            if (!taken.getAndSet(true)) {
              if (Thread.currentThread().equals(giving)) {
                run.ended(
                    new RejectedExecutionException(
                        "the executor would run callbacks on the scheduler's own thread, and hold"
                            + " up all others"));
              } else {
                execute(run);
              }
            }
          });
    } catch (Throwable failed) {
      if (!taken.getAndSet(true)) {
        run.ended(failed);
      } else {
        LOG.warn("The executor failed although it has taken {}", run, failed);
      }
    }
    Thread.interrupted(); // the executor's business: the next one must not suffer from it
  }

  private static void execute(Run run) {
    Throwable failure = null;
    try {
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
