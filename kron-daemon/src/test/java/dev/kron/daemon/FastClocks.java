package dev.kron.daemon;

import dev.kron.daemon.loop.Clocks;
import dev.kron.process.BootClock;

/** Clocks that run faster than the world's, the same for every daemon of a test. */
record FastClocks(long wallAtStartMillis, long bootAtStartNanos, int factor) implements Clocks {

  static FastClocks startingNow(int factor) {
    return new FastClocks(System.currentTimeMillis(), BootClock.nanos(), factor);
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
