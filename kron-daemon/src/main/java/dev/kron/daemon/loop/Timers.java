package dev.kron.daemon.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Actions at moments of the boot clock: timeouts, grace periods, probes. A new timer replaces one
 * with the same key, and a cancelled timer is gone at once: a job that runs every second with a
 * timeout of a day leaves nothing behind.
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

  /** The moment at which the timer with this key is due; null if there is none. */
  public @Nullable Long due(String key) {
    Timer timer = byKey.get(key);
    return timer == null ? null : timer.bootNanos;
  }

  /** The number of timers. */
  public int size() {
    return queue.size();
  }

  /** The moment at which the next timer is due; null if there is none. */
  public @Nullable Long next() {
    return queue.isEmpty() ? null : queue.first().bootNanos;
  }

  /** Runs all timers that are due, including those set meanwhile. */
  public void run(long bootNanos) {
    while (!queue.isEmpty() && queue.first().bootNanos - bootNanos <= 0) {
      Timer timer = queue.first();
      cancel(timer.key);
      timer.action.run();
    }
  }
}
