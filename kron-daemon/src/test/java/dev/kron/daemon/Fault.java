package dev.kron.daemon;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A point at which the daemon dies, by name: the process halts right there, at the nth time it gets
 * there.
 */
final class Fault {
  /** Every place between two things the outside can see. */
  enum Point {
    BEFORE_ARRIVALS,
    AFTER_ARRIVALS,
    BEFORE_TEMPORARY,
    BEFORE_SYNC,
    AFTER_SYNC,
    BEFORE_RENAME,
    AFTER_RENAME,
    BEFORE_DIRECTORY_SYNC,
    AFTER_DIRECTORY_SYNC,
    BEFORE_RUN_DIRECTORY,
    AFTER_RUN_DIRECTORY,
    BEFORE_PREPARE,
    AFTER_PREPARE,
    BEFORE_LAUNCH,
    AFTER_LAUNCH,
    BEFORE_EXIT_TOLD,
    AFTER_EXIT_TOLD,
    BEFORE_SIGNAL,
    AFTER_SIGNAL,
    BEFORE_FORESTALL,
    AFTER_FORESTALL,
    BEFORE_WATCH,
    AFTER_WATCH
  }

  /** What the process leaves with when it dies at a point. */
  static final int DIED = 86;

  private final @Nullable Point point;
  private final AtomicInteger left;
  private final boolean hangs;

  private Fault(@Nullable Point point, int times, boolean hangs) {
    this.point = point;
    this.left = new AtomicInteger(times);
    this.hangs = hangs;
  }

  static Fault none() {
    return new Fault(null, 0, false);
  }

  /**
   * {@code NAME:n}, {@code NAME:n:hang} to go no further and wait to be killed, or {@code none}.
   */
  static Fault parse(String text) {
    if (text.equals("none")) {
      return none();
    }
    String[] parts = text.split(":");
    return new Fault(Point.valueOf(parts[0]), Integer.parseInt(parts[1]), parts.length > 2);
  }

  static String at(Point point, int times) {
    return point + ":" + times;
  }

  void reach(Point here) {
    if (here == point && left.decrementAndGet() == 0) {
      while (hangs) {
        LockSupport.park();
      }
      Runtime.getRuntime().halt(DIED);
    }
  }
}
