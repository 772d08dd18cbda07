package dev.kron.daemon.loop;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Threads in lanes, one lane for each user, so that a blocked task delays only tasks of the same
 * user.
 */
final class Lanes implements AutoCloseable {
  private static final int IDLE_SECONDS = 5;

  private final int width;
  private final Map<String, Lane> lanes = new HashMap<>();
  private final ExecutorService threads;

  private static final class Lane {
    final Queue<Runnable> waiting = new ArrayDeque<>();
    int running;
  }

  /**
   * A set of lanes.
   *
   * @param width the number of tasks that run at once for one user
   */
  Lanes(String name, int width) {
    this.width = width;
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name(name, 0).factory());
  }

  void execute(String user, Runnable task) {
    synchronized (lanes) {
      Lane lane = lanes.computeIfAbsent(user, key -> new Lane());
      if (lane.running >= width) {
        lane.waiting.add(task);
        return;
      }
      lane.running++;
    }
    threads.execute(() -> drive(user, task));
  }

  private void drive(String user, Runnable first) {
    for (Runnable task = first; task != null; task = next(user)) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        // The lane goes on; a task handles its own exceptions.
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }

  private @Nullable Runnable next(String user) {
    synchronized (lanes) {
      Lane lane = lanes.get(user);
      Runnable task = lane == null ? null : lane.waiting.poll();
      if (lane != null && task == null) {
        lane.running--;
        if (lane.running == 0) {
          lanes.remove(user);
        }
      }
      return task;
    }
  }

  /** Stops; tasks that have not begun will not. */
  @Override
  public void close() {
    synchronized (lanes) {
      lanes.values().forEach(lane -> lane.waiting.clear());
    }
    threads.shutdownNow();
  }
}
