package dev.kron.daemon.loop;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

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
public final class Presence {
  static final long PAUSE_NANOS = 2_000_000_000L;
  public static final long OBSERVE_EVERY_NANOS = 450_000_000L;

  /** How far the clocks may drift apart between two looks before it counts as a jump. */
  static final long JUMP_MILLIS = 500;

  /**
   * Time that the daemon did not see.
   *
   * @param from last moment that was seen, wall clock
   * @param to first moment that is seen again, wall clock; before {@code from} if it was set back
   * @param clockMoved the wall clock was set; otherwise the process did not run
   */
  public record Absence(long from, long to, boolean clockMoved) {}

  /**
   * A look at the wall clock that goes with what was seen.
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
   * Looks at the clocks. Whoever decides by the time takes it from here: read on its own, a clock
   * that was moved this very moment would make years of periods look as if they had been seen.
   */
  public synchronized Moment look(Clocks clocks) {
    long boot = clocks.bootNanos();
    long wall = clocks.wallMillis();
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

  /** Looks at the clocks; the oldest time that nobody saw and that was not told of before. */
  public synchronized Optional<Absence> observe(Clocks clocks) {
    var _ = look(clocks);
    return Optional.ofNullable(untold.poll());
  }

  /** Looks at the clocks; whether there is something to tell the loop. */
  public synchronized boolean hasUntold(Clocks clocks) {
    var _ = look(clocks);
    return !untold.isEmpty();
  }

  /** Starts anew: until now the daemon was there, but could not have acted. */
  public synchronized void interrupt(long wallMillis) {
    sinceMillis = wallMillis;
  }

  /** Since when everything was seen, wall clock. */
  public synchronized long sinceMillis() {
    return sinceMillis;
  }
}
