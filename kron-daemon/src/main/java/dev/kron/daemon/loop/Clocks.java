package dev.kron.daemon.loop;

import java.time.Instant;

/** The two clocks of the world. A test or a simulation brings its own. */
public interface Clocks {
  /** The wall clock, which anyone may set: epoch milliseconds. */
  long wallMillis();

  /** The wall clock as exactly as there is, for the log: a millisecond says little about order. */
  default Instant wallTime() {
    return Instant.ofEpochMilli(wallMillis());
  }

  /** The clock that nobody sets and that goes on while the machine sleeps. */
  long bootNanos();

  /** How long to wait, really, for so much time of these clocks to pass. */
  default long waitNanos(long nanos) {
    return nanos;
  }
}
