package dev.kron.cron;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;

/**
 * The instants, in epoch seconds, at which an expression matches in a zone: those whose local time
 * is the start of a minute that the expression matches. A local minute that the zone skips never
 * matches, one that it has twice matches twice, unless a {@link ClockChangeRule} says otherwise.
 *
 * <p>Within a regime, that is between two changes of the zone's offset, local time is the instant
 * plus a constant, and the question is one for the {@link MinuteSet}. Where its answer lies past
 * the end of the regime, the search goes on there. It need not visit the regimes between: once the
 * end is further away than any two offsets of the zone differ, no later local time can be one that
 * was passed already, so the search continues at the earliest instant that can have the answer's
 * local time.
 */
public final class CronCalendar implements NominalTimes {
  /** Offsets are at most 18 hours, so everything in the supported years lies between these. */
  private static final long MIN_SECOND = CivilDate.MIN_EPOCH_DAY * 86_400L - 86_400;

  private static final long MAX_SECOND = CivilDate.MAX_EPOCH_DAY * 86_400L + 2 * 86_400;

  private final CronExpression expression;
  private final ZoneId zone;
  private final MinuteSet minutes;
  private final ZoneTimeline timeline;
  private final ClockChangeRule rule;

  public CronCalendar(CronExpression expression, ZoneId zone) {
    this(expression, zone, ClockChangeRule.BOTH);
  }

  public CronCalendar(CronExpression expression, ZoneId zone, ClockChangeRule rule) {
    this.expression = Objects.requireNonNull(expression, "expression");
    this.zone = Objects.requireNonNull(zone, "zone");
    this.rule = rule.on(expression);
    minutes = expression.minutes();
    timeline = ZoneTimeline.of(zone);
  }

  public CronExpression expression() {
    return expression;
  }

  public ZoneId zone() {
    return zone;
  }

  /** The rule in force: one that does nothing to this expression is {@code BOTH}. */
  public ClockChangeRule rule() {
    return rule;
  }

  /**
   * The expression in numbers, lists and ranges only, written so that the rule in force is the same
   * for it: cron looks at how minute and hour are written.
   */
  public String canonical() {
    return rule == ClockChangeRule.CRON ? minutes.canonicalWithoutStars() : expression.canonical();
  }

  /** Whether the instant is itself a match; never true within a minute. */
  public boolean matches(long epochSecond) {
    return previous(epochSecond) == epochSecond && epochSecond != NONE;
  }

  @Override
  public long next(long epochSecond) {
    if (rule == ClockChangeRule.BOTH) {
      return nextMatch(epochSecond);
    }
    long match = nextMatch(epochSecond);
    while (match != NONE && isRepeat(match)) {
      match = nextMatch(endOfRepeats(match) - 1);
    }
    long end = match == NONE ? MAX_SECOND : match;
    long change = timeline.nextChange(epochSecond);
    while (change < end) {
      if (hasSkippedMatch(change)) {
        return change;
      }
      change = timeline.nextChange(change);
    }
    return match;
  }

  @Override
  public long previous(long epochSecond) {
    if (rule == ClockChangeRule.BOTH) {
      return previousMatch(epochSecond);
    }
    long match = previousMatch(epochSecond);
    while (match != NONE && isRepeat(match)) {
      match = previousMatch(timeline.lastChange(match) - 1);
    }
    long start = match == NONE ? MIN_SECOND : match;
    long change = timeline.lastChange(Math.min(epochSecond, MAX_SECOND));
    while (change > start) {
      if (hasSkippedMatch(change)) {
        return change;
      }
      change = timeline.lastChange(change - 1);
    }
    return match;
  }

  /** Whether the match has the local time of an earlier instant, which alone counts. */
  private boolean isRepeat(long match) {
    long change = timeline.lastChange(match);
    int back = -jump(change);
    return back > 0 && match - change < back && rule.dropsRepeats(back);
  }

  private long endOfRepeats(long repeat) {
    long change = timeline.lastChange(repeat);
    return change - jump(change);
  }

  /** Whether a change of the clocks skips a match that the rule moves behind it. */
  private boolean hasSkippedMatch(long change) {
    int forward = jump(change);
    if (forward <= 0 || !rule.movesSkipped(forward)) {
      return false;
    }
    long from = change + timeline.offsetSeconds(change - 1);
    long minute = minutes.ceiling(-Math.floorDiv(-from, 60L));
    return minute != MinuteSet.NONE && minute * 60 < from + forward;
  }

  /** By how many seconds the clocks go forward at a change; 0 before the first. */
  private int jump(long change) {
    return change == Long.MIN_VALUE
        ? 0
        : timeline.offsetSeconds(change) - timeline.offsetSeconds(change - 1);
  }

  private long nextMatch(long epochSecond) {
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

  private long previousMatch(long epochSecond) {
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
