package dev.kron.simulation;

import java.util.random.RandomGenerator;

/**
 * The conduct of a command.
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

  /** The effect of TERM on a command. */
  enum OnTerm {
    DIES,
    EXITS_CLEANLY,
    IGNORES
  }

  /** Whether it goes on until somebody ends it. */
  boolean isEndless() {
    return forNanos == FOR_EVER;
  }

  /** Runs until somebody ends it. */
  private static final Conduct STEADY = new Conduct(FOR_EVER, 0, false, OnTerm.DIES, 0);

  /** A command that ends before anybody can lose patience. */
  private static final Conduct PROMPT = new Conduct(SECOND / 50, 0, false, OnTerm.DIES, 0);

  /** The conduct of a command when everything is well. */
  static Conduct well(String command) {
    return switch (command) {
      case ServiceEntries.FOR_GOOD -> STEADY;
      case ServiceEntries.CHECK -> PROMPT;
      default -> WELL;
    };
  }

  static Conduct draw(RandomGenerator random, String command) {
    return switch (command) {
      case ServiceEntries.FOR_GOOD -> drawService(random);
      case ServiceEntries.CHECK -> drawCheck(random);
      default -> draw(random);
    };
  }

  private static Conduct drawService(RandomGenerator random) {
    Conduct drawn = draw(random);
    boolean steady = random.nextInt(3) != 0;
    return new Conduct(
        steady ? FOR_EVER : drawn.forNanos,
        drawn.exitCode,
        drawn.crashes,
        drawn.onTerm,
        drawn.deafNanos);
  }

  private static Conduct drawCheck(RandomGenerator random) {
    long forNanos = random.nextInt(12) == 0 ? FOR_EVER : random.nextLong(SECOND / 2);
    return new Conduct(forNanos, random.nextInt(5) == 0 ? 1 : 0, false, OnTerm.DIES, 0);
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
