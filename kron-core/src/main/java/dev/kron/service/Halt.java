package dev.kron.service;

/**
 * Everything is being brought down: what that means for one instance.
 *
 * @param comesBack it is wanted up, so the daemon that comes next starts it again
 * @param shareMillis how long it may take to go, KILL included, so that all others have their turn
 */
public record Halt(boolean comesBack, long shareMillis) {
  /** KILL needs no longer than this to be done and known. */
  private static final long MOST_KILL_MILLIS = 1_000;

  /** Nobody is sent KILL more often than this. */
  private static final long LEAST_KILL_MILLIS = 20;

  /** How long it may take after the stop signal. */
  long graceMillis() {
    return Math.max(0, shareMillis - killMillis());
  }

  /** How long it may take after KILL. */
  long killMillis() {
    return Math.clamp(shareMillis / 2, LEAST_KILL_MILLIS, MOST_KILL_MILLIS);
  }
}
