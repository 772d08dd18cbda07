package dev.kron.cluster;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The database's clock, as an instance knows it: measured now and then, carried on in between by a
 * clock that only passes. The error is half a round trip at most. Before the first measurement it
 * shows the machine's own time.
 */
public final class DatabaseClock extends Clock {
  private final LongSupplier nanoTime;
  private final ZoneId zone;
  private final AtomicReference<Measurement> shared;

  private record Measurement(long millis, long nanos) {}

  public DatabaseClock() {
    this(System::nanoTime, System.currentTimeMillis());
  }

  DatabaseClock(LongSupplier nanoTime, long millis) {
    this(
        nanoTime,
        ZoneOffset.UTC,
        new AtomicReference<>(new Measurement(millis, nanoTime.getAsLong())));
  }

  private DatabaseClock(LongSupplier nanoTime, ZoneId zone, AtomicReference<Measurement> shared) {
    this.nanoTime = nanoTime;
    this.zone = zone;
    this.shared = shared;
  }

  /** A reading of the database's clock, taken some time between two moments. */
  public void measured(long sentNanos, long receivedNanos, long databaseMillis) {
    shared.set(new Measurement(databaseMillis, sentNanos + (receivedNanos - sentNanos) / 2));
  }

  @Override
  public long millis() {
    Measurement known = shared.get();
    return known.millis() + Math.floorDiv(nanoTime.getAsLong() - known.nanos(), 1_000_000L);
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  /** The same clock, seen from another zone: it is measured with this one. */
  @Override
  public Clock withZone(ZoneId other) {
    return other.equals(zone) ? this : new DatabaseClock(nanoTime, other, shared);
  }
}
