package dev.kron.daemon.runs;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Reads of files that a start needs and that may lie on a dead network mount: each on a thread that
 * nobody else needs, and for a bounded time. A read that does not answer keeps its thread until it
 * does; meanwhile the same file is refused at once.
 */
public final class BoundedReads {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Supplier<Duration> patience;

  /** The reads that were given up and still hang. */
  private final Map<FutureTask<?>, Path> stuck = new ConcurrentHashMap<>();

  /** A file did not answer in time. */
  public static final class UnansweredException extends Exception {
    private static final long serialVersionUID = 1L;

    UnansweredException(Path file, String what) {
      super(file + ": " + what);
    }
  }

  public BoundedReads() {
    this(() -> PATIENCE);
  }

  /** Reads with another patience. */
  BoundedReads(Supplier<Duration> patience) {
    this.patience = patience;
  }

  /**
   * Waits for a read.
   *
   * @throws RejectedExecutionException if this daemon is shutting down; the next one may repeat it
   */
  public <T> T read(Path file, Supplier<T> read) throws UnansweredException {
    if (stuck.containsValue(file)) {
      throw new UnansweredException(file, "has not answered since an earlier start");
    }
    var task =
        new FutureTask<T>(read::get) {
          @Override
          protected void done() {
            stuck.remove(this);
          }
        };
    Thread.ofPlatform().daemon().name("krond-read").start(task);
    Duration most = patience.get();
    try {
      return task.get(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      giveUp(task, file);
      throw new UnansweredException(file, "did not answer within " + most.toSeconds() + " s");
    } catch (InterruptedException e) {
      giveUp(task, file);
      Thread.currentThread().interrupt();
      throw new RejectedExecutionException("the daemon is stopping", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("while reading " + file, e.getCause());
    }
  }

  private void giveUp(FutureTask<?> task, Path file) {
    stuck.put(task, file);
    if (task.isDone()) {
      stuck.remove(task); // it answered at the last moment
    }
  }
}
