package dev.kron.daemon.loop;

import java.time.Instant;

/** The two clocks of the world. A test or a simulation brings its own. */
public interface Clocks {
  /** The wall clock in epoch milliseconds; it may be set at any time. */
  long wallMillis();

  /** The wall clock at its full resolution, for the log: milliseconds say little about order. */
  default Instant wallTime() {
    return Instant.ofEpochMilli(wallMillis());
  }

  /** The boot clock: it is never set, and goes on while the machine sleeps. */
  long bootNanos();

  /** The real time to wait until these clocks have advanced by so much. */
  default long waitNanos(long nanos) {
    return nanos;
  }
}
