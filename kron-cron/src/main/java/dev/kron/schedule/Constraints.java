package dev.kron.schedule;

import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Which seconds may be chosen: every kind of clause named by {@code @only} must match, and none
 * named by {@code @avoid}. All clauses look at local time in the schedule's zone.
 */
public final class Constraints {
  /** Every second is allowed. */
  public static final Constraints NONE = new Constraints(Clauses.NONE, Clauses.NONE);

  private static final long SECONDS_PER_DAY = 86_400;
  private static final int MINUTES_PER_DAY = 1440;

  private final Clauses only;
  private final Clauses avoid;
  private final boolean empty;

  /** Computed at the first question; twice at worst, with the same result. */
  private volatile int @Nullable [] allowedMinutes;

  private Constraints(Clauses only, Clauses avoid) {
    this.only = only;
    this.avoid = avoid;
    this.empty = only.isEmpty() && avoid.isEmpty();
  }

  static Constraints of(Clauses only, Clauses avoid) {
    return only.isEmpty() && avoid.isEmpty() ? NONE : new Constraints(only, avoid);
  }

  /** Whether nothing is constrained. */
  public boolean isEmpty() {
    return empty;
  }

  /** Whether a second may be chosen; it is given in local time, counted as if that were UTC. */
  boolean allow(long localSecond) {
    long day = Math.floorDiv(localSecond, SECONDS_PER_DAY);
    return allowTime(minuteOfDay(localSecond, day)) && allowDay(day);
  }

  /** The last day of those named by {@code dates=}, as an epoch day; empty where none is. */
  public OptionalLong lastDate() {
    long last = Math.max(only.lastDate(), avoid.lastDate());
    return last == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(last);
  }

  /** Ranges of allowed minutes of a day: the first, and the one after the last, in turn. */
  int[] allowedMinutes() {
    int[] known = allowedMinutes;
    if (known == null) {
      known = computeAllowedMinutes();
      allowedMinutes = known;
    }
    return known;
  }

  private int[] computeAllowedMinutes() {
    int[] ranges = new int[MINUTES_PER_DAY + 1];
    int length = 0;
    for (int minute = 0; minute <= MINUTES_PER_DAY; minute++) {
      boolean inside = length % 2 == 1;
      if (inside != (minute < MINUTES_PER_DAY && allowTime(minute))) {
        ranges[length++] = minute;
      }
    }
    return Arrays.copyOf(ranges, length);
  }

  /** The part that looks at the time of day. */
  boolean allowTime(int minuteOfDay) {
    return only.allMatchTime(minuteOfDay) && !avoid.anyMatchesTime(minuteOfDay);
  }

  /** The part that looks at the day. */
  boolean allowDay(long epochDay) {
    return only.allMatchDay(epochDay) && !avoid.anyMatchesDay(epochDay);
  }

  /**
   * Why a second may not be chosen: the clauses of the first kind that reject it, such as {@code
   * @avoid(dow=SUN,SAT)}, or null where it is allowed.
   */
  @Nullable String rejection(long localSecond) {
    long day = Math.floorDiv(localSecond, SECONDS_PER_DAY);
    int minute = minuteOfDay(localSecond, day);
    Clauses.Kind missed = only.firstKind(false, minute, day);
    if (missed != null) {
      return "@only(" + only.text(missed) + ")";
    }
    Clauses.Kind hit = avoid.firstKind(true, minute, day);
    return hit == null ? null : "@avoid(" + avoid.text(hit) + ")";
  }

  private static int minuteOfDay(long localSecond, long day) {
    return (int) (localSecond - day * SECONDS_PER_DAY) / 60;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Constraints that && only.equals(that.only) && avoid.equals(that.avoid);
  }

  @Override
  public int hashCode() {
    return 31 * only.hashCode() + avoid.hashCode();
  }

  /** Both modifiers in canonical form, without those that are empty. */
  @Override
  public String toString() {
    String first = only.isEmpty() ? "" : "@only(" + only.text() + ")";
    String second = avoid.isEmpty() ? "" : "@avoid(" + avoid.text() + ")";
    return first + (first.isEmpty() || second.isEmpty() ? "" : " ") + second;
  }
}
