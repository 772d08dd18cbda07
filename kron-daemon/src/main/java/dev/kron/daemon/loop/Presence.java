package dev.kron.daemon.loop;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * The time since when the daemon has been present without interruption, by the wall clock.
 *
 * <p>A deadline measures absence, not load, so the two have to be told apart: a thread of its own
 * (and the loop, whenever it turns) observes both clocks about twice a second. If the loop alone is
 * late, the other thread has gone on observing, and that is load. If nobody has observed anything
 * for more than two seconds, the whole process was stopped, asleep or paused. If the wall clock
 * went differently from the clock that nobody sets, it was moved. Either way, what fell due in
 * between was not seen.
 */
public final class Presence {
  static final long PAUSE_NANOS = 2_000_000_000L;
  public static final long OBSERVE_EVERY_NANOS = 450_000_000L;

  /** The difference between the clocks, from one observation to the next, that counts as a jump. */
  static final long JUMP_MILLIS = 500;

  /**
   * Whoever has waited longer between the two clocks looks again. A thread of a busy machine may
   * have to wait right there, and that is load; the clocks would seem to have gone differently.
   */
  static final long ONE_MOMENT_NANOS = 100_000_000L;

  private static final int LOOKS = 10;

  /**
   * An interval that the daemon did not see.
   *
   * @param from the last moment that was seen, wall clock
   * @param to the first moment that was seen again, wall clock; before {@code from} if the clock
   *     was set back
   * @param clockMoved whether the wall clock was set; otherwise the process did not run
   */
  public record Absence(long from, long to, boolean clockMoved) {}

  /**
   * The wall clock together with the beginning of the present presence.
   *
   * @param wallMillis now
   * @param sinceMillis since when everything was seen
   */
  public record Moment(long wallMillis, long sinceMillis) {}

  private long wallMillis;
  private long bootNanos;
  private long sinceMillis;
  private final Queue<Absence> untold = new ArrayDeque<>();

  public Presence(long wallMillis, long bootNanos) {
    this.wallMillis = wallMillis;
    this.bootNanos = bootNanos;
    this.sinceMillis = wallMillis;
  }

  /**
   * Reads the clocks. Every decision by time uses this method: a clock read separately may have
   * been moved this very moment, and years of periods would look as if they had been seen.
   */
  public synchronized Moment look(Clocks clocks) {
    long boot = clocks.bootNanos();
    long wall = clocks.wallMillis();
    for (int look = 1; look < LOOKS && clocks.bootNanos() - boot > ONE_MOMENT_NANOS; look++) {
      boot = clocks.bootNanos();
      wall = clocks.wallMillis();
    }
    long passedNanos = boot - bootNanos;
    long drift = wall - wallMillis - passedNanos / 1_000_000;
    boolean moved = Math.abs(drift) > JUMP_MILLIS;
    if (moved || passedNanos > PAUSE_NANOS) {
      untold.add(new Absence(wallMillis, wall, moved));
      sinceMillis = wall;
    }
    wallMillis = wall;
    bootNanos = boot;
    return new Moment(wall, sinceMillis);
  }

  /** Reads the clocks; returns the oldest absence that was not reported before. */
  public synchronized Optional<Absence> observe(Clocks clocks) {
    var _ = look(clocks);
    return Optional.ofNullable(untold.poll());
  }

  /** Reads the clocks; returns whether there is an absence to report to the loop. */
  public synchronized boolean hasUntold(Clocks clocks) {
    var _ = look(clocks);
    return !untold.isEmpty();
  }

  /** Starts anew: the daemon was there until now, but could not have acted. */
  public synchronized void interrupt(long wallMillis) {
    sinceMillis = wallMillis;
  }

  /** The time since when everything was seen, wall clock. */
  public synchronized long sinceMillis() {
    return sinceMillis;
  }
}
