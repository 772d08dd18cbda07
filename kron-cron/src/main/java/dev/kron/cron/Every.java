package dev.kron.cron;

/**
 * Whole multiples of an interval since a first moment, in real time: no calendar, no zone.
 *
 * @param intervalSeconds {@link #SHORTEST_SECONDS} to {@link #LONGEST_SECONDS}
 * @param from the first of them, in epoch seconds
 */
public record Every(long intervalSeconds, long from) implements NominalTimes {
  /** A minute, as for cron expressions. */
  public static final long SHORTEST_SECONDS = 60;

  /** 366 days. */
  public static final long LONGEST_SECONDS = 8784L * 3600;

  /** The first and the last second that have a date with four digits. */
  private static final long FIRST = CivilDate.MIN_EPOCH_DAY * 86_400L;

  private static final long LAST = CivilDate.MAX_EPOCH_DAY * 86_400L + 86_399;

  public Every {
    if (intervalSeconds < SHORTEST_SECONDS || intervalSeconds > LONGEST_SECONDS) {
      throw new IllegalArgumentException("interval of " + intervalSeconds + " s");
    }
    if (from < FIRST || from > LAST) {
      throw new IllegalArgumentException("from epoch second " + from);
    }
  }

  @Override
  public long next(long epochSecond) {
    if (epochSecond < from) {
      return from;
    }
    if (epochSecond >= LAST) {
      return NONE;
    }
    long next = from + ((epochSecond - from) / intervalSeconds + 1) * intervalSeconds;
    return next > LAST ? NONE : next;
  }

  @Override
  public long previous(long epochSecond) {
    long until = Math.min(epochSecond, LAST);
    return until < from ? NONE : from + (until - from) / intervalSeconds * intervalSeconds;
  }
}
