package dev.kron.simulation;

import dev.kron.daemon.loop.Clocks;

/** A wall clock that anyone may set over a clock that only goes on. */
final class SimulatedClock implements Clocks {
  private static final long NANOS_PER_MILLI = 1_000_000L;

  /** The time since the simulation began; it goes on through a restart of the machine. */
  private long nanos;

  private long bootedAtNanos;
  private long wallOffsetMillis;

  SimulatedClock(long wallMillis) {
    this.wallOffsetMillis = wallMillis;
  }

  @Override
  public long wallMillis() {
    return wallOffsetMillis + nanos / NANOS_PER_MILLI;
  }

  @Override
  public long bootNanos() {
    return nanos - bootedAtNanos;
  }

  /** Nanoseconds since the simulation began. */
  long nanos() {
    return nanos;
  }

  void advanceTo(long nanos) {
    this.nanos = Math.max(this.nanos, nanos);
  }

  /** The machine starts again. */
  void reboot() {
    bootedAtNanos = nanos;
  }

  /** An administrator sets the clock. */
  void jump(long millis) {
    wallOffsetMillis += millis;
  }
}
