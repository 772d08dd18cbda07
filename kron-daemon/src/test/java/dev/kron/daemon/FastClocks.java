package dev.kron.daemon;

import dev.kron.daemon.loop.Clocks;
import dev.kron.process.BootClock;

/** Clocks that run faster than the world's, the same for every daemon of a test. */
record FastClocks(long wallAtStartMillis, long bootAtStartNanos, int factor) implements Clocks {

  /** Whoever has waited longer between two looks has not seen both clocks at one moment. */
  private static final long ONE_MOMENT_NANOS = 20_000_000L;

  static FastClocks startingNow(int factor) {
    long before = BootClock.nanos(); // the first time, it is long in coming
    while (true) {
      long wall = System.currentTimeMillis();
      long boot = BootClock.nanos();
      if (boot - before < ONE_MOMENT_NANOS) {
        return new FastClocks(wall, boot, factor);
      }
      before = boot;
    }
  }

  /** As arguments of another process. */
  String text() {
    return wallAtStartMillis + ":" + bootAtStartNanos + ":" + factor;
  }

  static FastClocks parse(String text) {
    String[] parts = text.split(":");
    return new FastClocks(
        Long.parseLong(parts[0]), Long.parseLong(parts[1]), Integer.parseInt(parts[2]));
  }

  @Override
  public long wallMillis() {
    return wallAtStartMillis + (BootClock.nanos() - bootAtStartNanos) / 1_000_000 * factor;
  }

  @Override
  public long waitNanos(long nanos) {
    return nanos / factor;
  }

  @Override
  public long bootNanos() {
    return bootAtStartNanos + (BootClock.nanos() - bootAtStartNanos) * factor;
  }
}
