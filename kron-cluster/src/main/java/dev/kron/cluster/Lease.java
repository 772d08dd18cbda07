package dev.kron.cluster;

/**
 * An instance's own lease, by its own clock that only passes: it counts from the moment at which
 * the last confirmed renewal was sent, so it is never longer than the database believes. Any thread
 * may ask.
 */
public final class Lease {
  private final long lengthNanos;
  private long sentNanos;
  private boolean held;

  public Lease(Terms terms) {
    lengthNanos = terms.lease().toNanos();
  }

  /** A renewal was confirmed that was sent at the given moment. */
  public synchronized void confirmed(long sentAtNanos) {
    sentNanos = sentAtNanos;
    held = true;
  }

  /** Whether the instance may believe that nobody else takes up what it runs. */
  public synchronized boolean held(long nowNanos) {
    return held && nowNanos - sentNanos < lengthNanos;
  }

  /** The time for which it still holds, if no renewal is confirmed; 0 or less if it is over. */
  public synchronized long nanosLeft(long nowNanos) {
    return held ? lengthNanos - (nowNanos - sentNanos) : 0;
  }
}
