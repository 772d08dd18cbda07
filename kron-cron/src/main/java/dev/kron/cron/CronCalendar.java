package dev.kron.cron;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;

/**
 * The instants, in epoch seconds, at which an expression matches in a zone: those whose local time
 * is the start of a minute that the expression matches. A local minute that the zone skips never
 * matches, one that it has twice matches twice. Immutable; no method that takes a {@code long}
 * allocates.
 *
 * <p>Within a regime, that is between two changes of the zone's offset, local time is the instant
 * plus a constant, and the question is one for the {@link MinuteSet}. Where its answer lies past
 * the end of the regime, the search goes on there. It need not visit the regimes between: once the
 * end is further away than any two offsets of the zone differ, no later local time can be one that
 * was passed already, so the search continues at the earliest instant that can have the answer's
 * local time.
 */
public final class CronCalendar {
  /** Returned where there is no match within the local years 1 to 9999. */
  public static final long NONE = Long.MIN_VALUE;

  /** Offsets are at most 18 hours, so everything in the supported years lies between these. */
  private static final long MIN_SECOND = CivilDate.MIN_EPOCH_DAY * 86_400L - 86_400;

  private static final long MAX_SECOND = CivilDate.MAX_EPOCH_DAY * 86_400L + 2 * 86_400;

  private final CronExpression expression;
  private final ZoneId zone;
  private final MinuteSet minutes;
  private final ZoneTimeline timeline;

  public CronCalendar(CronExpression expression, ZoneId zone) {
    this.expression = Objects.requireNonNull(expression, "expression");
    this.zone = Objects.requireNonNull(zone, "zone");
    minutes = expression.minutes();
    timeline = ZoneTimeline.of(zone);
  }

  public CronExpression expression() {
    return expression;
  }

  public ZoneId zone() {
    return zone;
  }

  /** How far local time is ahead of UTC at an instant, in seconds, without any allocation. */
  public int offsetSeconds(long epochSecond) {
    return timeline.offset(timeline.regime(epochSecond - timeline.shift(epochSecond)));
  }

  /** Whether the instant is itself a match; never true within a minute. */
  public boolean matches(long epochSecond) {
    return previous(epochSecond) == epochSecond && epochSecond != NONE;
  }

  /** The first matching instant after the given one, or {@link #NONE}. */
  public long next(long epochSecond) {
    if (epochSecond >= MAX_SECOND) {
      return NONE;
    }
    long from = Math.max(epochSecond + 1, MIN_SECOND);
    long local = NONE;
    while (true) {
      long shift = timeline.shift(from);
      int regime = timeline.regime(from - shift);
      int offset = timeline.offset(regime);
      if (local == NONE) {
        long minute = minutes.ceiling(-Math.floorDiv(-(from + offset), 60L));
        if (minute == MinuteSet.NONE) {
          return NONE;
        }
        local = minute * 60;
      }
      long end = timeline.end(regime) + shift;
      if (local - offset < end) {
        return local - offset;
      }
      long earliest = local - timeline.maxOffset();
      if (end - from > timeline.spread() && earliest >= end) {
        from = earliest;
      } else {
        from = end;
        local = NONE;
      }
    }
  }

  /** The last matching instant at or before the given one, or {@link #NONE}. */
  public long previous(long epochSecond) {
    if (epochSecond < MIN_SECOND) {
      return NONE;
    }
    long from = Math.min(epochSecond, MAX_SECOND);
    long local = NONE;
    while (true) {
      long shift = timeline.shift(from);
      int regime = timeline.regime(from - shift);
      int offset = timeline.offset(regime);
      if (local == NONE) {
        long minute = minutes.floor(Math.floorDiv(from + offset, 60L));
        if (minute == MinuteSet.NONE) {
          return NONE;
        }
        local = minute * 60;
      }
      long start = regime == 0 ? Long.MIN_VALUE : timeline.start(regime) + shift;
      if (local - offset >= start) {
        return local - offset;
      }
      long latest = local - timeline.minOffset();
      if (from - start > timeline.spread() && latest < start) {
        from = latest;
      } else {
        from = start - 1;
        local = NONE;
      }
    }
  }

  /**
   * The first matching instant after the given one.
   *
   * @throws CronCalculationException if there is none before the year 10000
   */
  public Instant next(Instant after) {
    long result = next(after.getEpochSecond());
    if (result == NONE) {
      throw noOccurrence(after, "no occurrence after " + after + " and before the year 10000");
    }
    return Instant.ofEpochSecond(result);
  }

  /**
   * The last matching instant at or before the given one.
   *
   * @throws CronCalculationException if there is none since the year 1
   */
  public Instant previous(Instant until) {
    long result = previous(until.getEpochSecond());
    if (result == NONE) {
      throw noOccurrence(until, "no occurrence from the year 1 to " + until);
    }
    return Instant.ofEpochSecond(result);
  }

  private CronCalculationException noOccurrence(Instant time, String cause) {
    return new CronCalculationException(
        expression.text(), time.toString(), new ArithmeticException(cause));
  }

  @Override
  public String toString() {
    return expression + " in " + zone;
  }
}
