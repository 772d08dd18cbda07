package dev.kron.daemon.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Things to do at a moment of the clock that nobody sets: timeouts, grace, probes. Setting a timer
 * under a key that has one already replaces it, and one that is cancelled is gone at once: a job
 * that runs every second with a timeout of a day leaves nothing behind.
 */
public final class Timers {
  private record Timer(String key, long bootNanos, long number, Runnable action) {
    int compareTo(Timer other) {
      int byTime = Long.compare(bootNanos - other.bootNanos, 0);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final TreeSet<Timer> queue = new TreeSet<>(Timer::compareTo);
  private final Map<String, Timer> byKey = new HashMap<>();
  private long numbers;

  public void set(String key, long bootNanos, Runnable action) {
    cancel(key);
    var timer = new Timer(key, bootNanos, numbers++, action);
    byKey.put(key, timer);
    queue.add(timer);
  }

  public void cancel(String key) {
    Timer timer = byKey.remove(key);
    if (timer != null) {
      queue.remove(timer);
    }
  }

  /** When the one under this key is due, null where there is none. */
  public @Nullable Long due(String key) {
    Timer timer = byKey.get(key);
    return timer == null ? null : timer.bootNanos;
  }

  /** How many are set. */
  public int size() {
    return queue.size();
  }

  /** When the next one is due, null where there is none. */
  public @Nullable Long next() {
    return queue.isEmpty() ? null : queue.first().bootNanos;
  }

  /** Does everything that is due, what is set meanwhile included. */
  public void run(long bootNanos) {
    while (!queue.isEmpty() && queue.first().bootNanos - bootNanos <= 0) {
      Timer timer = queue.first();
      cancel(timer.key);
      timer.action.run();
    }
  }
}
