package dev.kron.daemon;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import java.util.function.LongSupplier;

/**
 * Memory that a start or a burst took and nobody holds any more goes back to the system. Collecting
 * it stops everything for a moment, so it is done on the loop, where it is known that no job is due
 * soon, and only where it is worth it. Where a job is due every second it is done all the same once
 * there is much: the JVM by itself would rather take more.
 */
final class SpareMemory {
  static final long FIRST_NANOS = 5_000_000_000L;
  static final long EVERY_NANOS = 10_000_000_000L;

  /** No job is due for so long. */
  static final long QUIET_MILLIS = 2_000;

  static final long LEAST_BYTES = 4 << 20;

  /** So much that it is not left to a daemon that is never quiet. */
  static final long MUCH_BYTES = 16 << 20;

  private static final String KEY = "spare memory";

  private final Clocks clocks;
  private final Timers timers;
  private final LongSupplier nextDue;
  private final LongSupplier taken;
  private final Runnable giveBack;

  /** What was left when memory was last given back. */
  private long left;

  /** The same, or what the start had taken where nothing was given back yet. */
  private long before;

  /**
   * @param nextDue the second in which the next job is due, the greatest number where none is
   * @param taken the bytes that are taken of the system now
   */
  SpareMemory(LoopTime time, LongSupplier nextDue, LongSupplier taken, Runnable giveBack) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.nextDue = nextDue;
    this.taken = taken;
    this.giveBack = giveBack;
  }

  /** From a moment after the start on. */
  void begin() {
    before = taken.getAsLong();
    timers.set(KEY, clocks.bootNanos() + FIRST_NANOS, this::look);
  }

  private void look() {
    long now = taken.getAsLong();
    boolean worthwhile = now - left >= Math.max(LEAST_BYTES, left / 4) && isQuiet();
    boolean much = now - before >= Math.max(MUCH_BYTES, left / 2);
    if (worthwhile || much) {
      giveBack.run();
      left = taken.getAsLong();
      before = left;
    }
    timers.set(KEY, clocks.bootNanos() + EVERY_NANOS, this::look);
  }

  private boolean isQuiet() {
    return nextDue.getAsLong() >= Math.ceilDiv(clocks.wallMillis() + QUIET_MILLIS, 1000L);
  }
}
