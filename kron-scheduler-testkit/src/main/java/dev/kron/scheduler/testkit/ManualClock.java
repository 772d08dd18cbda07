package dev.kron.scheduler.testkit;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A clock that stands still until it is told otherwise. It keeps apart the time that passes and
 * what the wall clock shows, so that setting the clock is not the same as waiting.
 */
public final class ManualClock extends Clock {
  private final ZoneId zone;
  private volatile long elapsedMillis;
  private volatile long offsetMillis;

  ManualClock(Instant start, ZoneId zone) {
    this.zone = zone;
    this.offsetMillis = start.toEpochMilli();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    return offsetMillis + elapsedMillis;
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  /** The same clock, seen from another zone: it goes on, and is set, with this one. */
  @Override
  public Clock withZone(ZoneId other) {
    return other.equals(zone) ? this : new Elsewhere(other);
  }

  private final class Elsewhere extends Clock {
    private final ZoneId elsewhere;

    Elsewhere(ZoneId elsewhere) {
      this.elsewhere = elsewhere;
    }

    @Override
    public Instant instant() {
      return ManualClock.this.instant();
    }

    @Override
    public long millis() {
      return ManualClock.this.millis();
    }

    @Override
    public ZoneId getZone() {
      return elsewhere;
    }

    @Override
    public Clock withZone(ZoneId other) {
      return ManualClock.this.withZone(other);
    }
  }

  /** The time that has passed, whatever the wall clock shows. */
  long elapsedMillis() {
    return elapsedMillis;
  }

  /** Lets time pass. */
  void passUntil(long elapsed) {
    elapsedMillis = Math.max(elapsedMillis, elapsed);
  }

  /** Sets the wall clock; no time passes. */
  void set(Instant shown) {
    offsetMillis = shown.toEpochMilli() - elapsedMillis;
  }

  /** When, in time that passes, the wall clock will show the given millisecond. */
  long elapsedAt(long wallMillis) {
    return wallMillis == Long.MAX_VALUE ? Long.MAX_VALUE : wallMillis - offsetMillis;
  }
}
