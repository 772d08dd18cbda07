package dev.kron.daemon;

import java.security.SecureRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** A daemon's own threads. */
final class Workers implements Background {
  private static final int LAUNCHERS = 8;

  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          LAUNCHERS, Thread.ofPlatform().daemon().name("krond-worker-", 0).factory());
  private final SecureRandom random = new SecureRandom();

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  @Override
  public void after(long millis, Runnable task) {
    var _ = threads.schedule(task, millis, TimeUnit.MILLISECONDS);
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
    threads.shutdownNow();
  }
}
