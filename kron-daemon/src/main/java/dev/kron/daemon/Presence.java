package dev.kron.daemon;

import java.util.Optional;

/**
 * Since when the daemon has been there without interruption, by the wall clock.
 *
 * <p>A deadline measures absence, not load, so the two have to be told apart: a thread of its own
 * (and the loop, whenever it turns) observes both clocks about twice a second. If the loop alone is
 * late, the other thread has gone on observing, and that is load. If nobody has observed anything
 * for more than two seconds, the whole process was stopped, asleep or paused. If the wall clock
 * went differently from the clock that nobody sets, it was moved. Either way, what fell due in
 * between was not seen.
 */
final class Presence {
  static final long PAUSE_NANOS = 2_000_000_000L;
  static final long OBSERVE_EVERY_NANOS = 450_000_000L;

  /** How far the clocks may drift apart between two looks before it counts as a jump. */
  static final long JUMP_MILLIS = 500;

  /**
   * Time that the daemon did not see.
   *
   * @param from last moment that was seen, wall clock
   * @param to first moment that is seen again, wall clock; before {@code from} if it was set back
   * @param clockMoved the wall clock was set; otherwise the process did not run
   */
  record Absence(long from, long to, boolean clockMoved) {}

  private long wallMillis;
  private long bootNanos;
  private long sinceMillis;

  Presence(long wallMillis, long bootNanos) {
    this.wallMillis = wallMillis;
    this.bootNanos = bootNanos;
    this.sinceMillis = wallMillis;
  }

  /** Looks at the clocks; tells what was not seen since the last look. */
  synchronized Optional<Absence> observe(Clocks clocks) {
    long boot = clocks.bootNanos();
    long wall = clocks.wallMillis();
    long passedNanos = boot - bootNanos;
    long drift = wall - wallMillis - passedNanos / 1_000_000;
    long from = wallMillis;
    wallMillis = wall;
    bootNanos = boot;
    boolean moved = Math.abs(drift) > JUMP_MILLIS;
    if (!moved && passedNanos <= PAUSE_NANOS) {
      return Optional.empty();
    }
    sinceMillis = wall;
    return Optional.of(new Absence(from, wall, moved));
  }

  /** Starts anew: until now the daemon was there, but could not have acted. */
  synchronized void interrupt(long wallMillis) {
    sinceMillis = wallMillis;
  }

  /** Since when everything was seen, wall clock. */
  synchronized long sinceMillis() {
    return sinceMillis;
  }
}
