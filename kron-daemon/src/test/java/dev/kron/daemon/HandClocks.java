package dev.kron.daemon;

import java.time.Duration;
import java.time.Instant;

/** Clocks that a test moves. */
final class HandClocks implements Clocks {
  private long wallMillis;
  private long bootNanos = Duration.ofDays(100).toNanos();

  HandClocks(String start) {
    wallMillis = Instant.parse(start).toEpochMilli();
  }

  @Override
  public synchronized long wallMillis() {
    return wallMillis;
  }

  @Override
  public synchronized long bootNanos() {
    return bootNanos;
  }

  /** Time passes, as it does. */
  synchronized void pass(Duration time) {
    wallMillis += time.toMillis();
    bootNanos += time.toNanos();
  }

  /** Somebody sets the wall clock. */
  synchronized void set(String instant) {
    wallMillis = Instant.parse(instant).toEpochMilli();
  }

  synchronized Instant now() {
    return Instant.ofEpochMilli(wallMillis);
  }
}
