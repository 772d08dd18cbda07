package dev.kron.daemon;

import dev.kron.daemon.loop.Clocks;
import java.time.Duration;
import java.time.Instant;

/** Clocks that a test moves. */
public final class HandClocks implements Clocks {
  private long wallMillis;
  private long bootNanos = Duration.ofDays(100).toNanos();

  public HandClocks(String start) {
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
  public synchronized void pass(Duration time) {
    wallMillis += time.toMillis();
    bootNanos += time.toNanos();
  }

  /** Somebody sets the wall clock. */
  public synchronized void set(String instant) {
    wallMillis = Instant.parse(instant).toEpochMilli();
  }

  public synchronized Instant now() {
    return Instant.ofEpochMilli(wallMillis);
  }
}
