package dev.kron.cluster;

import java.time.Duration;

/**
 * The times for which an instance is believed without a word from it. The same in all instances.
 *
 * @param lease for which a renewal holds
 * @param grace how long an instance whose lease is over has to interrupt what it runs, before
 *     others take it up
 */
public record Terms(Duration lease, Duration grace) {
  private static final Duration SHORTEST = Duration.ofMillis(500);

  public Terms {
    if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException("A lease lasts from 0.5 s to an hour, not " + lease);
    }
    if (grace.isNegative() || grace.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException("A grace lasts from nothing to an hour, not " + grace);
    }
  }

  /** The time between two renewals of a lease: two of them may fail without harm. */
  public Duration renewal() {
    return lease.dividedBy(3);
  }
}
