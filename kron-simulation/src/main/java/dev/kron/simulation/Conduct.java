package dev.kron.simulation;

import java.util.random.RandomGenerator;

/**
 * How a command behaves.
 *
 * @param forNanos it exits by itself after so long, {@link #FOR_EVER}: it hangs
 * @param exitCode with which it then exits
 * @param crashes it ends by signal 11 instead
 * @param onTerm what TERM does to it
 * @param deafNanos KILL takes effect only so long after: it hangs in the kernel
 */
record Conduct(long forNanos, int exitCode, boolean crashes, OnTerm onTerm, long deafNanos) {
  static final long FOR_EVER = Long.MAX_VALUE;
  private static final long SECOND = 1_000_000_000L;

  /** Short, and well. */
  static final Conduct WELL = new Conduct(SECOND / 2, 0, false, OnTerm.DIES, 0);

  /** What TERM does to a command. */
  enum OnTerm {
    DIES,
    EXITS_CLEANLY,
    IGNORES
  }

  static Conduct draw(RandomGenerator random) {
    long forNanos =
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3 -> random.nextLong(SECOND);
          case 4, 5, 6 -> random.nextLong(20 * SECOND);
          case 7, 8 -> random.nextLong(200 * SECOND);
          default -> FOR_EVER;
        };
    int exitCode = random.nextInt(3) == 0 ? random.nextInt(256) : 0;
    OnTerm onTerm =
        switch (random.nextInt(5)) {
          case 0 -> OnTerm.IGNORES;
          case 1 -> OnTerm.EXITS_CLEANLY;
          default -> OnTerm.DIES;
        };
    long deaf = random.nextInt(20) == 0 ? random.nextLong(60 * SECOND) : 0;
    return new Conduct(forNanos, exitCode, random.nextInt(15) == 0, onTerm, deaf);
  }
}
