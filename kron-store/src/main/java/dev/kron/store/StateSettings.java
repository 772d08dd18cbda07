package dev.kron.store;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The settings of a state directory.
 *
 * @param historyLimit entries kept per job, as long as they fit into 8 MiB
 * @param workers runs reads and fsyncs; {@code Runnable::run} does everything in order on the
 *     calling thread
 * @param threads how many threads of {@code workers} to use at once, including the calling one
 * @param clock for the names of quarantined files and the time since when the lock is held
 * @param migrations from older versions of the state file
 */
public record StateSettings(
    int historyLimit,
    Executor workers,
    int threads,
    InstantSource clock,
    List<Migration> migrations) {
  public static final int DEFAULT_HISTORY_LIMIT = 100;

  /**
   * The number of concurrent fsyncs. So many share the journal's commits; measured on ext4, more
   * gain nothing, and {@code syncfs} gains nothing either since it also waits for other programs'
   * data.
   */
  private static final int THREADS = 16;

  private static final long STACK_BYTES = 256 * 1024;
  private static final int IDLE_SECONDS = 5;

  public StateSettings {
    migrations = List.copyOf(migrations);
    if (historyLimit < 0 || threads < 1) {
      throw new IllegalArgumentException("historyLimit " + historyLimit + ", threads " + threads);
    }
  }

  /** The settings of a daemon: threads are created on demand and end when they are idle. */
  public static StateSettings standard(int historyLimit, InstantSource clock) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS - 1,
            THREADS - 1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(null, task, "kron-disk", STACK_BYTES);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return new StateSettings(historyLimit, pool, THREADS, clock, List.of());
  }

  public StateSettings withMigrations(List<Migration> others) {
    return new StateSettings(historyLimit, workers, threads, clock, others);
  }
}
