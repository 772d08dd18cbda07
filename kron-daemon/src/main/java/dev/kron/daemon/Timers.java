package dev.kron.daemon;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Things to do at a moment of the clock that nobody sets: timeouts, grace, probes. Setting a timer
 * under a key that has one already replaces it.
 */
final class Timers {
  private record Timer(String key, long bootNanos, long number, Runnable action) {
    boolean is(@Nullable Timer other) {
      return other != null && number == other.number;
    }
  }

  private final PriorityQueue<Timer> queue =
      new PriorityQueue<>(
          (a, b) -> {
            int byTime = Long.compare(a.bootNanos - b.bootNanos, 0);
            return byTime != 0 ? byTime : Long.compare(a.number, b.number);
          });
  private final Map<String, Timer> byKey = new HashMap<>();
  private long numbers;

  void set(String key, long bootNanos, Runnable action) {
    var timer = new Timer(key, bootNanos, numbers++, action);
    byKey.put(key, timer);
    queue.add(timer);
  }

  /** A cancelled timer stays in the queue until its time comes, and is passed over then. */
  void cancel(String key) {
    byKey.remove(key);
  }

  /** When the next one is due, null where there is none. */
  @Nullable Long next() {
    Timer timer = head();
    return timer == null ? null : timer.bootNanos;
  }

  /** Does everything that is due. */
  void run(long bootNanos) {
    for (Timer timer = head(); timer != null && timer.bootNanos - bootNanos <= 0; timer = head()) {
      queue.poll();
      byKey.remove(timer.key);
      timer.action.run();
    }
  }

  private @Nullable Timer head() {
    Timer timer = queue.peek();
    while (timer != null && !timer.is(byKey.get(timer.key))) {
      queue.poll();
      timer = queue.peek();
    }
    return timer;
  }
}
