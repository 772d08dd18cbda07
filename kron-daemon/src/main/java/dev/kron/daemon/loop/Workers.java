package dev.kron.daemon.loop;

import java.security.SecureRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** The threads of a daemon. */
public final class Workers implements Background {
  private static final int LAUNCHERS = 8;
  private static final int UNHURRIED = 2;

  /** The lag of the loop from which new commands wait for it, and the longest that they wait. */
  private static final long BEHIND_NANOS = 25_000_000L;

  private static final long WAY_NANOS = 50_000_000L;
  private static final long LOOK_NANOS = 1_000_000L;

  /** A thread that had nothing to do for so long ends; the next one is there in no time. */
  private static final long IDLE_SECONDS = 10;

  private final ScheduledExecutorService threads = threads();
  private final Lanes launching = new Lanes("krond-launch-", LAUNCHERS);
  private final Lanes unhurried = new Lanes("krond-ahead-", UNHURRIED);
  private final SecureRandom random = new SecureRandom();
  private volatile LongSupplier lagNanos = () -> 0;

  private static ScheduledExecutorService threads() {
    var pool =
        new ScheduledThreadPoolExecutor(
            LAUNCHERS, Thread.ofPlatform().daemon().name("krond-worker-", 0).factory());
    pool.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  @Override
  public void execute(String user, Runnable task) {
    launching.execute(user, task);
  }

  @Override
  public void ahead(String user, Runnable task) {
    unhurried.execute(user, task);
  }

  @Override
  public void after(long millis, Runnable task) {
    var _ = threads.schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  /** Sets the loop to whose lag workers give way. */
  public void before(LongSupplier loopLagNanos) {
    lagNanos = loopLagNanos;
  }

  @Override
  public void giveWay() {
    long end = System.nanoTime() + WAY_NANOS;
    while (lagNanos.getAsLong() > BEHIND_NANOS && System.nanoTime() < end) {
      LockSupport.parkNanos(LOOK_NANOS);
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
    unhurried.close();
    launching.close();
    threads.shutdownNow();
  }
}
