package dev.kron.cron;

/**
 * The instants, in epoch seconds, at which the periods of a schedule lie. Immutable; no method that
 * takes a {@code long} allocates.
 */
public sealed interface NominalTimes permits Boot, CronCalendar, Every, Manual {
  /** Returned where there is no such time within the years 1 to 9999. */
  long NONE = Long.MIN_VALUE;

  /** The first one after the given instant, or {@link #NONE}. */
  long next(long epochSecond);

  /** The last one at or before the given instant, or {@link #NONE}. */
  long previous(long epochSecond);
}
