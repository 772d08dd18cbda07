package dev.kron.daemon.loop;

import dev.kron.process.BootClock;
import java.time.Instant;

/** The machine's own clocks. */
public final class SystemClocks implements Clocks {
  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public Instant wallTime() {
    return Instant.now();
  }

  @Override
  public long bootNanos() {
    return BootClock.nanos();
  }
}
