package dev.kron.schedule;

import java.time.Instant;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Arrays;
import java.util.function.LongFunction;

/**
 * How likely it is that a period finds an allowed second.
 *
 * @param probability of one draw to be allowed
 * @param allowedSeconds of the window, both ends in
 * @param windowSeconds all seconds of the window, both ends in
 * @param draws how many candidates there are: 64, or 1 where the window is a single second
 */
public record AcceptanceOdds(
    double probability, long allowedSeconds, long windowSeconds, int draws) {

  private static final int SECONDS_PER_DAY = 86_400;
  private static final int MINUTES_PER_DAY = 1440;

  /** The odds of one period; they differ where constraints or clock changes do. */
  public static AcceptanceOdds of(Schedule schedule, long nominal) {
    return of(schedule).apply(nominal);
  }

  /** The odds by nominal time, for many periods: what they have in common is computed once. */
  public static LongFunction<AcceptanceOdds> of(Schedule schedule) {
    int[] allowedMinutes = Sum.allowedMinutes(schedule.constraints());
    return nominal -> of(schedule, nominal, allowedMinutes);
  }

  private static AcceptanceOdds of(Schedule schedule, long nominal, int[] allowedMinutes) {
    long window = schedule.window().seconds();
    int draws = window == 0 ? 1 : Decision.MAX_ATTEMPTS;
    if (schedule.constraints().isEmpty()) {
      return new AcceptanceOdds(1, window + 1, window + 1, draws);
    }
    long start = nominal + schedule.window().startOffsetSeconds();
    Sum sum = new Sum(schedule, allowedMinutes, start, window + 1);
    sum.addAll();
    double probability =
        sum.allowed == 0 ? 0 : sum.allowed == window + 1 ? 1 : Math.clamp(sum.mass, 0.0, 1.0);
    return new AcceptanceOdds(probability, sum.allowed, window + 1, draws);
  }

  /** The part of the window's seconds that is allowed, 0 to 1. */
  public double allowedShare() {
    return (double) allowedSeconds / windowSeconds;
  }

  /** The probability that every draw misses, so that the period is unschedulable. */
  public double missProbability() {
    return StrictMath.exp(draws * StrictMath.log1p(-probability));
  }

  /**
   * Adds up stretches of allowed seconds: between two clock changes local time runs evenly, days
   * are allowed or not as a whole, and every allowed day has the same allowed minutes.
   */
  private static final class Sum {
    private final Schedule schedule;
    private final long start;
    private final long length;
    private final int[] allowedMinutes;
    private long allowed;
    private double mass;

    Sum(Schedule schedule, int[] allowedMinutes, long start, long length) {
      this.schedule = schedule;
      this.start = start;
      this.length = length;
      this.allowedMinutes = allowedMinutes;
    }

    /** Ranges of allowed minutes of a day: the first, and the one after the last, in turn. */
    private static int[] allowedMinutes(Constraints constraints) {
      if (!constraints.lookAtTime()) {
        return new int[] {0, MINUTES_PER_DAY};
      }
      int[] ranges = new int[MINUTES_PER_DAY + 1];
      int length = 0;
      for (int minute = 0; minute <= MINUTES_PER_DAY; minute++) {
        boolean inside = length % 2 == 1;
        if (inside != (minute < MINUTES_PER_DAY && constraints.allowTime(minute))) {
          ranges[length++] = minute;
        }
      }
      return Arrays.copyOf(ranges, length);
    }

    void addAll() {
      ZoneRules rules = schedule.zone().getRules();
      long from = start;
      long end = start + length;
      while (from < end) {
        Instant instant = Instant.ofEpochSecond(from);
        ZoneOffsetTransition change = rules.nextTransition(instant);
        long to = change == null ? end : Math.min(end, change.toEpochSecond());
        addEven(from, to, rules.getOffset(instant).getTotalSeconds());
        from = to;
      }
    }

    /** A stretch without a change of the clock. */
    private void addEven(long from, long to, int offset) {
      long firstDay = Math.floorDiv(from + offset, SECONDS_PER_DAY);
      long lastDay = Math.floorDiv(to - 1 + offset, SECONDS_PER_DAY);
      for (long day = firstDay; day <= lastDay; day++) {
        if (!schedule.constraints().allowDay(day)) {
          continue;
        }
        long midnight = day * SECONDS_PER_DAY - offset;
        for (int i = 0; i < allowedMinutes.length; i += 2) {
          add(
              Math.max(from, midnight + allowedMinutes[i] * 60L),
              Math.min(to, midnight + allowedMinutes[i + 1] * 60L));
        }
      }
    }

    private void add(long from, long to) {
      if (from < to) {
        allowed += to - from;
        mass += before(to) - before(from);
      }
    }

    private double before(long second) {
      return schedule.curve().cumulative((double) (second - start) / length);
    }
  }
}
