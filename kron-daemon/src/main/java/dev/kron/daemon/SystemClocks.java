package dev.kron.daemon;

import dev.kron.process.BootClock;

/** The machine's own clocks. */
final class SystemClocks implements Clocks {
  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public long bootNanos() {
    return BootClock.nanos();
  }
}
