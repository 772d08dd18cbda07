package dev.kron.schedule;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The clauses of one {@code @only} or {@code @avoid}, merged by kind.
 *
 * <p>Kinds fall into two families, those that look at the time of day (hours, between) and those
 * that look at the day (dow, dom, months, dates). A candidate passes if it passes both, which is
 * what lets {@link AcceptanceOdds} count whole stretches instead of seconds.
 */
final class Clauses {
  private static final int[] NO_MINUTES = {};
  private static final long[] NO_DATES = {};

  static final Clauses NONE = new Clauses(0, 0, 0, 0, NO_MINUTES, NO_DATES);

  // Sets of bits; an empty set means that the kind is not named.
  private final int hours;
  private final int daysOfWeek; // bit 0 is Sunday
  private final int daysOfMonth;
  private final int months;

  // First and last in turn, sorted, apart from each other.
  private final int[] minutes; // of the day
  private final long[] dates; // epoch days

  /** Takes the arrays as they are: sorted pairs, not to be changed any more. */
  Clauses(int hours, int daysOfWeek, int daysOfMonth, int months, int[] minutes, long[] dates) {
    this.hours = hours;
    this.daysOfWeek = daysOfWeek;
    this.daysOfMonth = daysOfMonth;
    this.months = months;
    this.minutes = minutes;
    this.dates = dates;
  }

  /** What a clause looks at, in the order in which clauses are checked and written. */
  enum Kind {
    HOURS,
    DAYS_OF_WEEK,
    DAYS_OF_MONTH,
    MONTHS,
    MINUTES,
    DATES
  }

  /** The last epoch day that is named as a date, or {@code Long.MIN_VALUE}. */
  long lastDate() {
    return dates.length == 0 ? Long.MIN_VALUE : dates[dates.length - 1];
  }

  boolean isEmpty() {
    return !looksAtTime() && !looksAtDay();
  }

  boolean looksAtTime() {
    return hours != 0 || minutes.length > 0;
  }

  boolean looksAtDay() {
    return (daysOfWeek | daysOfMonth | months) != 0 || dates.length > 0;
  }

  /** Whether every named kind that looks at the time of day matches. */
  boolean allMatchTime(int minute) {
    return (hours == 0 || hasHour(minute)) && (minutes.length == 0 || hasMinute(minute));
  }

  /** Whether any named kind that looks at the time of day matches. */
  boolean anyMatchesTime(int minute) {
    return hasHour(minute) || hasMinute(minute);
  }

  /** Whether every named kind that looks at the day matches. */
  boolean allMatchDay(long epochDay) {
    return (daysOfWeek == 0 || hasDayOfWeek(epochDay))
        && ((daysOfMonth | months) == 0 || allMatchDate(CivilDay.of(epochDay)))
        && (dates.length == 0 || hasDate(epochDay));
  }

  private boolean allMatchDate(long date) {
    return (daysOfMonth == 0 || hasDayOfMonth(date)) && (months == 0 || hasMonth(date));
  }

  /** Whether any named kind that looks at the day matches. */
  boolean anyMatchesDay(long epochDay) {
    return hasDayOfWeek(epochDay)
        || ((daysOfMonth | months) != 0 && anyMatchesDate(CivilDay.of(epochDay)))
        || hasDate(epochDay);
  }

  private boolean anyMatchesDate(long date) {
    return hasDayOfMonth(date) || hasMonth(date);
  }

  /** The first named kind whose answer is the given one, or null. */
  @Nullable Kind firstKind(boolean matching, int minute, long epochDay) {
    for (Kind kind : Kind.values()) {
      if (names(kind) && matches(kind, minute, epochDay) == matching) {
        return kind;
      }
    }
    return null;
  }

  private boolean names(Kind kind) {
    return switch (kind) {
      case HOURS -> hours != 0;
      case DAYS_OF_WEEK -> daysOfWeek != 0;
      case DAYS_OF_MONTH -> daysOfMonth != 0;
      case MONTHS -> months != 0;
      case MINUTES -> minutes.length > 0;
      case DATES -> dates.length > 0;
    };
  }

  private boolean matches(Kind kind, int minute, long epochDay) {
    return switch (kind) {
      case HOURS -> hasHour(minute);
      case DAYS_OF_WEEK -> hasDayOfWeek(epochDay);
      case DAYS_OF_MONTH -> hasDayOfMonth(CivilDay.of(epochDay));
      case MONTHS -> hasMonth(CivilDay.of(epochDay));
      case MINUTES -> hasMinute(minute);
      case DATES -> hasDate(epochDay);
    };
  }

  private boolean hasHour(int minute) {
    return (hours & (1 << (minute / 60))) != 0;
  }

  private boolean hasDayOfWeek(long epochDay) {
    return (daysOfWeek & (1 << CivilDay.dayOfWeek(epochDay))) != 0;
  }

  private boolean hasDayOfMonth(long date) {
    return (daysOfMonth & (1 << CivilDay.day(date))) != 0;
  }

  private boolean hasMonth(long date) {
    return (months & (1 << CivilDay.month(date))) != 0;
  }

  private boolean hasMinute(int minute) {
    for (int i = 0; i < minutes.length; i += 2) {
      if (minutes[i] <= minute && minute <= minutes[i + 1]) {
        return true;
      }
    }
    return false;
  }

  private boolean hasDate(long epochDay) {
    for (int i = 0; i < dates.length; i += 2) {
      if (dates[i] <= epochDay && epochDay <= dates[i + 1]) {
        return true;
      }
    }
    return false;
  }

  /** All clauses, in canonical form: {@code hours=9-17;dow=MON-FRI}. */
  String text() {
    StringBuilder text = new StringBuilder();
    for (Kind kind : Kind.values()) {
      if (names(kind)) {
        text.append(text.isEmpty() ? "" : ";").append(text(kind));
      }
    }
    return text.toString();
  }

  /** The clauses of one kind. */
  String text(Kind kind) {
    return switch (kind) {
      case HOURS -> ClauseText.set("hours=", hours, 0, 23, ClauseText.NUMBERS);
      case DAYS_OF_WEEK -> ClauseText.set("dow=", daysOfWeek, 0, 6, ClauseText.DAYS);
      case DAYS_OF_MONTH -> ClauseText.set("dom=", daysOfMonth, 1, 31, ClauseText.NUMBERS);
      case MONTHS -> ClauseText.set("months=", months, 1, 12, ClauseText.MONTHS);
      case MINUTES -> ClauseText.minutes(minutes);
      case DATES -> ClauseText.dates(dates);
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Clauses that
        && hours == that.hours
        && daysOfWeek == that.daysOfWeek
        && daysOfMonth == that.daysOfMonth
        && months == that.months
        && Arrays.equals(minutes, that.minutes)
        && Arrays.equals(dates, that.dates);
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
