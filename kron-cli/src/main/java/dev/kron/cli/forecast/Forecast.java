package dev.kron.cli.forecast;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;

/**
 * Starts counted into buckets of equal length, twice: at the seconds that are chosen, and at the
 * nominal times, as if no job had a window.
 */
public final class Forecast {
  private final long from;
  private final long end;
  private final long bucketSeconds;
  private final int[] withWindows;
  private final int[] withoutWindows;
  private int jobs;
  private int suspended;
  private long unschedulable;
  private long retriesAtMost;
  private long following;

  /**
   * @param from epoch second at which the first bucket begins
   * @param seconds how long to look ahead; the last bucket is cut there
   */
  public Forecast(long from, long seconds, long bucketSeconds) {
    this.from = from;
    this.bucketSeconds = bucketSeconds;
    int buckets = Math.toIntExact(Math.ceilDiv(seconds, bucketSeconds));
    this.withWindows = new int[buckets];
    this.withoutWindows = new int[buckets];
    this.end = from + seconds;
  }

  /** What one start of a job may lead to. */
  public record Consequences(long retriesAtMost, long following) {
    public static final Consequences NONE = new Consequences(0, 0);
  }

  /** Counts one job's starts, none of which leads to another. */
  public void add(Schedule schedule, String identity) {
    add(schedule, identity, Consequences.NONE);
  }

  /** Counts one job's starts; a suspended job has none. */
  public void add(Schedule schedule, String identity, Consequences consequences) {
    if (schedule.policy().suspend()) {
      suspended++;
      return;
    }
    jobs++;
    long nominal = schedule.next(from - 1);
    while (nominal != CronCalendar.NONE && nominal < end) {
      withoutWindows[bucket(nominal)]++;
      nominal = schedule.next(nominal);
    }
    DueTimes times = DueTimes.of(schedule, identity);
    Due due = times.firstAfter(from - 1);
    while (due != null && due.dueEpochSecond() < end) {
      if (due.decision().unschedulable()) {
        unschedulable++;
      } else {
        withWindows[bucket(due.dueEpochSecond())]++;
        retriesAtMost = sum(retriesAtMost, consequences.retriesAtMost);
        following = sum(following, consequences.following);
      }
      due = times.following(due);
    }
  }

  /** Chains that branch and meet again may have more starts than can be counted. */
  private static long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  private int bucket(long epochSecond) {
    return (int) ((epochSecond - from) / bucketSeconds);
  }

  public long from() {
    return from;
  }

  public long end() {
    return end;
  }

  public long bucketSeconds() {
    return bucketSeconds;
  }

  public int buckets() {
    return withWindows.length;
  }

  /** The epoch second at which a bucket begins. */
  public long start(int bucket) {
    return from + bucket * bucketSeconds;
  }

  public int jobs() {
    return jobs;
  }

  public int suspended() {
    return suspended;
  }

  /** Periods within that find no allowed second, and therefore do not start. */
  public long unschedulable() {
    return unschedulable;
  }

  /** Attempts beside the starts that are counted, if every one of them failed. */
  public long retriesAtMost() {
    return retriesAtMost;
  }

  /** Starts of jobs that follow others, beside those that are counted, if everything succeeds. */
  public long following() {
    return following;
  }

  public Series withWindows() {
    return new Series(withWindows);
  }

  public Series withoutWindows() {
    return new Series(withoutWindows);
  }

  /** How many times lower windows make the peak; not a number where nothing starts. */
  public double factor() {
    return (double) withoutWindows().peak() / withWindows().peak();
  }

  /** One way of counting. */
  public static final class Series {
    private final int[] counts;

    private Series(int[] counts) {
      this.counts = counts;
    }

    public int in(int bucket) {
      return counts[bucket];
    }

    public int peak() {
      return counts[peakBucket()];
    }

    /** The first bucket with the most starts. */
    public int peakBucket() {
      int best = 0;
      for (int i = 1; i < counts.length; i++) {
        if (counts[i] > counts[best]) {
          best = i;
        }
      }
      return best;
    }

    public long total() {
      long sum = 0;
      for (int count : counts) {
        sum += count;
      }
      return sum;
    }
  }
}
