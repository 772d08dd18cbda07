package dev.kron.job;

import dev.kron.schedule.Draws;
import java.util.List;

/**
 * Which ends of a run are successes, and how often and when a failed one is tried again.
 *
 * @param retries how many attempts may follow the first, at most {@link #MOST}
 * @param delayMillis before the second attempt; doubled for each one after it
 * @param longestMillis what the doubling stops at
 * @param okExit the whole list of exit codes that count as success
 */
public record RetryPolicy(int retries, long delayMillis, long longestMillis, List<Integer> okExit) {
  public static final int MOST = 20;

  /** No retries, and 0 alone is a success. */
  public static final RetryPolicy NONE = new RetryPolicy(0, 30_000, 3_600_000, List.of(0));

  public RetryPolicy {
    okExit = List.copyOf(okExit);
    if (retries < 0 || retries > MOST || delayMillis < 1 || longestMillis < 1) {
      throw new IllegalArgumentException("not a way to try again");
    }
  }

  /**
   * How long a failed run is waited with: min(delay·2^(k−1), longest)·(1 + u/4), in whole
   * milliseconds. u is the first draw of the stream over identity, period, {@code retry} and k, so
   * that a thousand jobs that failed together do not come back together.
   *
   * @param period the period's id, or for a chained run the id of the run that caused it
   * @param k 1 after the first attempt
   */
  public long delayMillis(String identity, String period, int k) {
    return (long) (baseMillis(k) * (1 + draw(1, identity, period, k) / 4));
  }

  /**
   * How long an attempt that fell due during an absence is waited with once somebody is there
   * again: a quarter of its delay at most, by the second draw of the same stream.
   */
  public long afterAbsenceMillis(String identity, String period, int k) {
    return (long) (baseMillis(k) * (draw(2, identity, period, k) / 4));
  }

  private static double draw(int number, String identity, String period, int k) {
    return Draws.of(number, identity, period, "retry", Integer.toString(k));
  }

  private long baseMillis(int k) {
    int shift = Math.min(k - 1, MOST);
    return delayMillis > longestMillis >> shift ? longestMillis : delayMillis << shift;
  }
}
