package dev.kron.service;

/**
 * The terms on which one instance is stopped while everything goes down.
 *
 * @param comesBack whether the instance is wanted up, so that the next daemon starts it again
 * @param shareMillis the time it may take to end, KILL included, so that every other one has its
 *     turn
 */
public record Halt(boolean comesBack, long shareMillis) {
  /** The longest time that is set aside for KILL to take effect. */
  private static final long MOST_KILL_MILLIS = 1_000;

  /** The shortest time between two KILLs to the same instance. */
  private static final long LEAST_KILL_MILLIS = 20;

  /** The time that it may take after its stop signal. */
  long graceMillis() {
    return Math.max(0, shareMillis - killMillis());
  }

  /** The time that it may take after KILL. */
  long killMillis() {
    return Math.clamp(shareMillis / 2, LEAST_KILL_MILLIS, MOST_KILL_MILLIS);
  }
}
