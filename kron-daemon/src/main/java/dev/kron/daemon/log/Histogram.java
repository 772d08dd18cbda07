package dev.kron.daemon.log;

import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of durations with fixed upper bounds; adding one costs a few nanoseconds and no lock.
 */
public final class Histogram {
  private final double[] boundsSeconds;
  private final LongAdder[] counts;
  private final LongAdder nanos = new LongAdder();

  /**
   * A histogram.
   *
   * @param boundsSeconds rising
   */
  Histogram(double... boundsSeconds) {
    this.boundsSeconds = boundsSeconds.clone();
    this.counts = new LongAdder[boundsSeconds.length + 1];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  public void addNanos(long duration) {
    long length = Math.max(0, duration);
    int bucket = 0;
    while (bucket < boundsSeconds.length && length > boundsSeconds[bucket] * 1e9) {
      bucket++;
    }
    counts[bucket].increment();
    nanos.add(length);
  }

  /** The bounds, the last one infinite. */
  public double[] bounds() {
    double[] bounds = java.util.Arrays.copyOf(boundsSeconds, counts.length);
    bounds[counts.length - 1] = Double.POSITIVE_INFINITY;
    return bounds;
  }

  /** The number of durations within each bound and above the one before. */
  public long[] counts() {
    long[] sums = new long[counts.length];
    for (int i = 0; i < sums.length; i++) {
      sums[i] = counts[i].sum();
    }
    return sums;
  }

  public double sumSeconds() {
    return nanos.sum() / 1e9;
  }
}
