package dev.kron.schedule;

import dev.kron.cron.ZoneTimeline;
import java.util.Arrays;

/**
 * The seconds of one window that the constraints allow, as stretches that do not touch each other.
 *
 * <p>Found by arithmetic: between two clock changes local time runs evenly, days are allowed or not
 * as a whole, and every allowed day has the same allowed minutes.
 */
final class AllowedSeconds {
  private static final int SECONDS_PER_DAY = 86_400;

  private final Schedule schedule;
  private final long start;
  private final long length;

  /** First seconds and those after the last in turn, counted from the window's start. */
  private long[] ends = new long[16];

  private int used;
  private long count;

  private AllowedSeconds(Schedule schedule, long nominal) {
    this.schedule = schedule;
    this.start = nominal + schedule.window().startOffsetSeconds();
    this.length = schedule.window().seconds() + 1;
  }

  static AllowedSeconds of(Schedule schedule, long nominal) {
    var allowed = new AllowedSeconds(schedule, nominal);
    allowed.addAll();
    return allowed;
  }

  /** How many there are. */
  long count() {
    return count;
  }

  /** The probability that one draw of the schedule's distribution is allowed. */
  double probability() {
    if (count == 0 || count == length) {
      return count == 0 ? 0 : 1;
    }
    double sum = 0;
    for (int i = 0; i < used; i += 2) {
      sum += weight(i);
    }
    return Math.clamp(sum, 0.0, 1.0);
  }

  /**
   * The second that a draw stands for: the distribution, restricted to the allowed seconds. Part of
   * the published contract, bit for bit. There must be one.
   *
   * @param u 0 ≤ u &lt; 1
   */
  long choose(double u) {
    double total = 0;
    for (int i = 0; i < used; i += 2) {
      total += weight(i);
    }
    if (!(total > 0)) {
      return number(Math.min((long) (u * count), count - 1));
    }
    double wanted = u * total;
    double before = 0;
    int chosen = -1;
    for (int i = 0; i < used; i += 2) {
      double weight = weight(i);
      if (weight > 0) {
        chosen = i;
        if (wanted < before + weight) {
          break;
        }
        before += weight;
      }
    }
    // Rounding may leave the last stretch with a little more than its weight.
    double x = schedule.curve().inverse(cumulative(ends[chosen]) + (wanted - before));
    long second = x > 0 ? Math.min((long) (x * length), length) : 0;
    return start + Math.clamp(second, ends[chosen], ends[chosen + 1] - 1);
  }

  /** The nth allowed second, from 0. */
  private long number(long n) {
    long left = n;
    int i = 0;
    while (left >= ends[i + 1] - ends[i]) {
      left -= ends[i + 1] - ends[i];
      i += 2;
    }
    return start + ends[i] + left;
  }

  private double weight(int stretch) {
    return Math.max(0, cumulative(ends[stretch + 1]) - cumulative(ends[stretch]));
  }

  private double cumulative(long second) {
    return schedule.curve().cumulative((double) second / length);
  }

  private void addAll() {
    ZoneTimeline clock = schedule.clock();
    long from = start;
    long end = start + length;
    while (from < end) {
      long to = Math.min(end, clock.nextChange(from));
      addEven(from, to, clock.offsetSeconds(from));
      from = to;
    }
  }

  /** A stretch without a change of the clock. */
  private void addEven(long from, long to, int offset) {
    int[] minutes = schedule.constraints().allowedMinutes();
    long firstDay = Math.floorDiv(from + offset, SECONDS_PER_DAY);
    long lastDay = Math.floorDiv(to - 1 + offset, SECONDS_PER_DAY);
    for (long day = firstDay; day <= lastDay; day++) {
      if (!schedule.constraints().allowDay(day)) {
        continue;
      }
      long midnight = day * SECONDS_PER_DAY - offset;
      for (int i = 0; i < minutes.length; i += 2) {
        add(
            Math.max(from, midnight + minutes[i] * 60L) - start,
            Math.min(to, midnight + minutes[i + 1] * 60L) - start);
      }
    }
  }

  private void add(long from, long to) {
    if (from >= to) {
      return;
    }
    count += to - from;
    if (used > 0 && ends[used - 1] == from) {
      ends[used - 1] = to;
      return;
    }
    if (used == ends.length) {
      ends = Arrays.copyOf(ends, 2 * used);
    }
    ends[used++] = from;
    ends[used++] = to;
  }
}
