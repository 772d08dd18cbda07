package dev.kron.job;

import dev.kron.schedule.Draws;
import java.util.List;

/**
 * The exit codes that count as success, and how failed runs are retried.
 *
 * @param retries how many attempts may follow the first, at most {@link #MOST}
 * @param delayMillis the delay before the second attempt; it doubles for each later one
 * @param longestMillis the limit of the doubling
 * @param okExit all exit codes that count as success
 */
public record RetryPolicy(int retries, long delayMillis, long longestMillis, List<Integer> okExit) {
  public static final int MOST = 20;

  /** No retries; only exit code 0 is a success. */
  public static final RetryPolicy NONE = new RetryPolicy(0, 30_000, 3_600_000, List.of(0));

  public RetryPolicy {
    okExit = List.copyOf(okExit);
    if (retries < 0 || retries > MOST || delayMillis < 1 || longestMillis < 1) {
      throw new IllegalArgumentException("not a way to try again");
    }
  }

  /** The same exit codes, and nothing is retried. */
  RetryPolicy withoutRetries() {
    return new RetryPolicy(0, delayMillis, longestMillis, okExit);
  }

  /**
   * The delay before the next attempt: min(delay·2^(k−1), longest)·(1 + u/4), in whole
   * milliseconds. u is the first draw of the stream seeded by identity, period, {@code retry} and
   * k, so that a thousand jobs that failed together do not all return at once.
   *
   * @param period the period's id, or for a chained run the id of the run that caused it
   * @param k the number of the attempt that failed, from 1
   */
  public long delayMillis(String identity, String period, int k) {
    return (long) (baseMillis(k) * (1 + draw(1, identity, period, k) / 4));
  }

  /**
   * The delay of a retry that became due while the daemon was away, counted from its return: at
   * most a quarter of its ordinary delay, by the second draw of the same stream.
   */
  public long afterAbsenceMillis(String identity, String period, int k) {
    return (long) (baseMillis(k) * (draw(2, identity, period, k) / 4));
  }

  /** How long so many attempts are waited with, one after the other, at the very least. */
  public long shortestMillis(int attempts) {
    long sum = 0;
    for (int k = 1; k <= attempts; k++) {
      sum += baseMillis(k);
    }
    return sum;
  }

  private static double draw(int number, String identity, String period, int k) {
    return Draws.of(number, identity, period, "retry", Integer.toString(k));
  }

  private long baseMillis(int k) {
    int shift = Math.min(k - 1, MOST);
    return delayMillis > longestMillis >> shift ? longestMillis : delayMillis << shift;
  }
}
