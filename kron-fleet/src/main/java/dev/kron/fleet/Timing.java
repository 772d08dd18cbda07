package dev.kron.fleet;

import org.jspecify.annotations.Nullable;

/**
 * The fleet's time, as a node knows it, and since when the node is there. The database's clock is
 * measured with each answer and carried on by a clock that only passes.
 */
final class Timing {
  /** The time without an answer after which a node was absent. */
  static final long ABSENT_NANOS = 2_000_000_000L;

  /** The time for which a node that was absent claims nothing. */
  private static final long SETTLING_NANOS = 3_000_000_000L;

  private boolean isMeasured;
  private long measuredMillis;
  private long measuredNanos;
  private @Nullable Long answeredNanos;
  private long presentSinceMillis = Long.MAX_VALUE;
  private long backSinceNanos;

  /**
   * Takes in an answer.
   *
   * @return whether the node was absent until now
   */
  boolean answered(long sentNanos, long nanos) {
    Long last = answeredNanos;
    answeredNanos = nanos;
    boolean absent = last == null || nanos - last > ABSENT_NANOS;
    if (absent) {
      presentSinceMillis = Long.MAX_VALUE;
      backSinceNanos = nanos;
    }
    return absent;
  }

  /**
   * A connection broke: perhaps there is another server at its other end now, which has not heard
   * of everything. Whoever knows more says so within the next seconds.
   */
  void broke() {
    answeredNanos = null;
  }

  /** Whether the node is there for as long as the turns of all others take. */
  boolean hasSettledIn(long nanos) {
    return nanos - backSinceNanos >= SETTLING_NANOS;
  }

  /**
   * Takes in what the database's clock showed some time between two moments. Where they lie far
   * apart, as the daemon was stopped in between, that says little: it was not there.
   *
   * @return whether more time has passed than this machine knows of: it was asleep, and the clock
   *     that only passes with it, or the database's clock was set
   */
  boolean measured(long clockMillis, long sentNanos, long nanos) {
    if (nanos - sentNanos > ABSENT_NANOS) {
      if (!isMeasured) {
        measuredMillis = clockMillis;
        measuredNanos = nanos;
      }
      return false;
    }
    long middle = sentNanos + (nanos - sentNanos) / 2;
    boolean jumped = isMeasured && clockMillis - fleetMillis(middle) > ABSENT_NANOS / 1_000_000L;
    isMeasured = true;
    measuredMillis = clockMillis;
    measuredNanos = middle;
    if (jumped) {
      backSinceNanos = nanos;
    }
    if (jumped || presentSinceMillis == Long.MAX_VALUE) {
      presentSinceMillis = clockMillis;
    }
    return jumped;
  }

  long fleetMillis(long nanos) {
    return measuredMillis + Math.floorDiv(nanos - measuredNanos, 1_000_000L);
  }

  /** The moment since when the node is there without a break; the far future: it is not. */
  long presentSinceMillis() {
    return presentSinceMillis;
  }

  /** Whether the last answer is recent enough. */
  boolean isPresent(long nanos) {
    Long last = answeredNanos;
    return last != null && nanos - last <= ABSENT_NANOS && presentSinceMillis != Long.MAX_VALUE;
  }
}
