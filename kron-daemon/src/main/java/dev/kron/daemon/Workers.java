package dev.kron.daemon;

import java.security.SecureRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** A daemon's own threads. */
final class Workers implements Background {
  private static final int LAUNCHERS = 8;
  private static final int UNHURRIED = 2;
  private static final int IDLE_SECONDS = 5;

  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          LAUNCHERS, Thread.ofPlatform().daemon().name("krond-worker-", 0).factory());
  private final ThreadPoolExecutor unhurried =
      new ThreadPoolExecutor(
          UNHURRIED,
          UNHURRIED,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("krond-ahead-", 0).factory());
  private final SecureRandom random = new SecureRandom();

  Workers() {
    unhurried.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(() -> watched(task));
  }

  @Override
  public void ahead(Runnable task) {
    unhurried.execute(task);
  }

  @Override
  public void after(long millis, Runnable task) {
    var _ = threads.schedule(() -> watched(task), millis, TimeUnit.MILLISECONDS);
  }

  /** What nobody expected is at least seen: a pool would keep it to itself. */
  private static void watched(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      throw e;
    }
  }

  @Override
  public boolean byHand() {
    return false;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public void close() {
    unhurried.shutdownNow();
    threads.shutdownNow();
  }
}
