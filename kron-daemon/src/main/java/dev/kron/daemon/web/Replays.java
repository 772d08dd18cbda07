package dev.kron.daemon.web;

import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The request numbers that one session has used lately. Each page and worker of a browser counts
 * for itself; a number is valid once, and may arrive slightly out of order. For one thread at a
 * time.
 */
final class Replays {
  /** The time within which a signed request is answered. */
  static final Duration WINDOW = Duration.ofSeconds(60);

  /** The most counters at the same time. */
  static final int COUNTERS = 64;

  private static final int DISORDER = 1024;

  private final Map<String, Counter> counters = new HashMap<>();

  private static final class Counter {
    final BitSet seen = new BitSet(DISORDER);
    long highest;
    long usedNanos;
  }

  /**
   * Uses up a number; false if it was used before, or is too old to tell.
   *
   * @param client the page or worker that counts
   */
  boolean use(String client, long number, long now) {
    Counter counter = counters.get(client);
    if (counter == null) {
      // Signatures of a counter that was silent for so long have expired.
      counters.values().removeIf(idle -> now - idle.usedNanos > 2 * WINDOW.toNanos());
      if (counters.size() >= COUNTERS) {
        return false;
      }
      counter = new Counter();
      counters.put(client, counter);
    }
    if (number <= counter.highest - DISORDER) {
      return false;
    }
    long passed = Math.max(counter.highest + 1, number - DISORDER + 1);
    for (; passed < number; passed++) {
      counter.seen.clear((int) (passed % DISORDER));
    }
    int slot = (int) (number % DISORDER);
    if (number > counter.highest) {
      counter.highest = number;
    } else if (counter.seen.get(slot)) {
      return false;
    }
    counter.seen.set(slot);
    counter.usedNanos = now;
    return true;
  }
}
