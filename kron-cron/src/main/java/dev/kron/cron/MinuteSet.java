package dev.kron.cron;

import java.util.StringJoiner;

/**
 * The local minutes that an expression matches, counted from 1970-01-01T00:00 without any zone; to
 * be asked like a {@link java.util.NavigableSet}. Immutable.
 *
 * <p>A field is a bit set, the next value a count of trailing zeros. A day of the month and a
 * weekday are never both required, since two restricted fields mean either: so the days of a month
 * are always the union of the day bits and the weekday bits laid out from the weekday of the first,
 * and an unrestricted field next to a restricted one is simply left empty. It follows that every
 * month that can match at all matches every year, except a February of which only the 29th is
 * wanted. The search therefore looks at three months at most, however far away the answer is. Days
 * that are counted within their month ({@link CountedDays}) need more looks only where a fifth
 * weekday is wanted: a month has one every few years, and the 29th of February is one of ten leap
 * days at the latest.
 */
final class MinuteSet {
  /** There is none within the years 1 to 9999. */
  static final long NONE = Long.MIN_VALUE;

  private static final int MINUTES_OF_DAY = 1_440;
  private static final long MIN_MINUTE = (long) CivilDate.MIN_EPOCH_DAY * MINUTES_OF_DAY;
  private static final long MAX_MINUTE = (CivilDate.MAX_EPOCH_DAY + 1L) * MINUTES_OF_DAY - 1;
  private static final int ALL_DAYS = (int) CronField.DAY.all();
  private static final int ALL_MONTHS = (int) CronField.MONTH.all();
  private static final int ALL_WEEKDAYS = (int) CronField.WEEKDAY.all();
  private static final int FEBRUARY = 1 << 2;

  /** Multiplied with seven weekday bits: the same seven bits, six times over. */
  private static final long SIX_WEEKS = 1L | 1L << 7 | 1L << 14 | 1L << 21 | 1L << 28 | 1L << 35;

  private final long minutes;
  private final int hours;

  /** Empty where only weekdays count. */
  private final int days;

  /** Those that can match. */
  private final int months;

  /** Empty where weekdays do not count. */
  private final int weekdays;

  private final CountedDays counted;

  private final boolean everyDay;
  private final boolean everyMonth;

  /** Only weekdays count, in every month. */
  private final boolean everyWeek;

  private final boolean leapDayOnly;
  private final short firstMinuteOfDay;
  private final short lastMinuteOfDay;

  MinuteSet(long minutes, int hours, int months, DayFields fields) {
    this.minutes = minutes;
    this.hours = hours;
    this.days = fields.any() && !fields.anyWeekday() ? 0 : fields.days();
    this.weekdays = fields.anyWeekday() ? 0 : fields.weekdays() | fields.counted().everyWeek();
    this.counted = days == ALL_DAYS ? CountedDays.NONE : fields.counted().without(this.weekdays);
    this.months = monthsThatHaveOne(months);
    everyMonth = this.months == ALL_MONTHS;
    everyDay = everyMonth && (days == ALL_DAYS || weekdays == ALL_WEEKDAYS);
    everyWeek = everyMonth && days == 0 && counted.isEmpty();
    leapDayOnly = this.months == FEBRUARY && !mayBeIn(28);
    firstMinuteOfDay =
        (short) (Integer.numberOfTrailingZeros(hours) * 60 + Long.numberOfTrailingZeros(minutes));
    lastMinuteOfDay =
        (short)
            ((31 - Integer.numberOfLeadingZeros(hours)) * 60
                + (63 - Long.numberOfLeadingZeros(minutes)));
  }

  private int monthsThatHaveOne(int wanted) {
    int result = 0;
    for (int month = 1; month <= 12; month++) {
      result |= mayBeIn(CivilDate.lengthOfMonth(2000, month)) ? 1 << month & wanted : 0;
    }
    return result;
  }

  /** Whether a month of this length has a matching day in some year. */
  private boolean mayBeIn(int length) {
    return weekdays != 0 || (days & CronField.bits(1, length)) != 0 || counted.mayBeIn(length);
  }

  /** Whether no day of any year matches, as with the 30th of February. */
  boolean isEmpty() {
    return months == 0;
  }

  /** Five fields that mean this set, the same however it was first written. */
  String canonical() {
    return canonical("*");
  }

  /** The same five fields, but minute and hour do not begin with a star. */
  String canonicalWithoutStars() {
    return canonical("");
  }

  /**
   * @param every what stands for every minute and every hour; empty: the range
   */
  private String canonical(String every) {
    String times =
        field(CronField.MINUTE, minutes, every) + " " + field(CronField.HOUR, hours, every);
    String ofYear = field(CronField.MONTH, months, "*");
    if (days == ALL_DAYS || weekdays == ALL_WEEKDAYS) {
      return times + " * " + ofYear + " *";
    }
    var ofMonth = values(Integer.toUnsignedLong(days));
    counted.addDaysTo(ofMonth);
    var ofWeek = values(weekdays);
    counted.addWeekdaysTo(ofWeek);
    return times + " " + ofMonth + " " + ofYear + " " + ofWeek;
  }

  private static String field(CronField field, long bits, String every) {
    return bits == field.all() && !every.isEmpty() ? every : values(bits).toString();
  }

  /** Numbers and ranges; a star where there is none. */
  private static StringJoiner values(long bits) {
    var text = new StringJoiner(",").setEmptyValue("*");
    for (long left = bits; left != 0; ) {
      int from = Long.numberOfTrailingZeros(left);
      int to = from + Long.numberOfTrailingZeros(~(left >>> from)) - 1;
      text.add(from == to ? Integer.toString(from) : from + "-" + to);
      left &= -2L << to;
    }
    return text;
  }

  boolean contains(long minute) {
    return ceiling(minute) == minute;
  }

  /** The first matching minute at or after the given one, or {@link #NONE}. */
  long ceiling(long from) {
    if (from > MAX_MINUTE) {
      return NONE;
    }
    long minute = Math.max(from, MIN_MINUTE);
    int day = (int) Math.floorDiv(minute, MINUTES_OF_DAY);
    int time = timeCeiling((int) (minute - (long) day * MINUTES_OF_DAY));
    int found = dayCeiling(time < 0 ? day + 1 : day);
    if (found > CivilDate.MAX_EPOCH_DAY) {
      return NONE;
    }
    return (long) found * MINUTES_OF_DAY + (found == day ? time : firstMinuteOfDay);
  }

  /** The last matching minute at or before the given one, or {@link #NONE}. */
  long floor(long from) {
    if (from < MIN_MINUTE) {
      return NONE;
    }
    long minute = Math.min(from, MAX_MINUTE);
    int day = (int) Math.floorDiv(minute, MINUTES_OF_DAY);
    int time = timeFloor((int) (minute - (long) day * MINUTES_OF_DAY));
    int found = dayFloor(time < 0 ? day - 1 : day);
    if (found < CivilDate.MIN_EPOCH_DAY) {
      return NONE;
    }
    return (long) found * MINUTES_OF_DAY + (found == day ? time : lastMinuteOfDay);
  }

  private int timeCeiling(int minuteOfDay) {
    int hour = minuteOfDay / 60;
    if ((hours >>> hour & 1) != 0) {
      long left = minutes & -1L << (minuteOfDay - hour * 60);
      if (left != 0) {
        return hour * 60 + Long.numberOfTrailingZeros(left);
      }
    }
    int later = hours & -2 << hour;
    if (later == 0) {
      return -1;
    }
    return Integer.numberOfTrailingZeros(later) * 60 + Long.numberOfTrailingZeros(minutes);
  }

  private int timeFloor(int minuteOfDay) {
    int hour = minuteOfDay / 60;
    if ((hours >>> hour & 1) != 0) {
      long left = minutes & -1L >>> (63 - (minuteOfDay - hour * 60));
      if (left != 0) {
        return hour * 60 + 63 - Long.numberOfLeadingZeros(left);
      }
    }
    int earlier = hours & (1 << hour) - 1;
    if (earlier == 0) {
      return -1;
    }
    return (31 - Integer.numberOfLeadingZeros(earlier)) * 60
        + (63 - Long.numberOfLeadingZeros(minutes));
  }

  /** The first matching day at or after the given one; past the last supported day if none is. */
  private int dayCeiling(int day) {
    if (everyDay || day > CivilDate.MAX_EPOCH_DAY) {
      return day;
    }
    if (everyWeek) {
      return day + Long.numberOfTrailingZeros((weekdays * SIX_WEEKS) >>> CivilDate.weekday(day));
    }
    int date = CivilDate.ofEpochDay(day);
    int dayOfMonth = CivilDate.dayOfMonth(date);
    int matching = daysOf(CivilDate.year(date), CivilDate.month(date), day - dayOfMonth + 1);
    int left = matching & -1 << dayOfMonth;
    return left != 0
        ? day + Integer.numberOfTrailingZeros(left) - dayOfMonth
        : firstDayAfter(CivilDate.year(date), CivilDate.month(date));
  }

  private int firstDayAfter(int year, int month) {
    while (true) {
      int later = months & -2 << month;
      if (later == 0) {
        later = months;
        year = leapDayOnly ? nextLeapYear(year) : year + 1;
        if (year > CivilDate.MAX_YEAR) {
          return Integer.MAX_VALUE;
        }
      }
      month = Integer.numberOfTrailingZeros(later);
      int first = CivilDate.epochDay(year, month, 1);
      int matching = daysOf(year, month, first);
      if (matching != 0) {
        return first + Integer.numberOfTrailingZeros(matching) - 1;
      }
    }
  }

  /** The last matching day at or before the given one; before the first supported if none is. */
  private int dayFloor(int day) {
    if (everyDay || day < CivilDate.MIN_EPOCH_DAY) {
      return day;
    }
    if (everyWeek) {
      // Bit 35 + weekday is the day itself, after five whole weeks.
      long left = (weekdays * SIX_WEEKS) << (63 - 35 - CivilDate.weekday(day));
      return day - Long.numberOfLeadingZeros(left);
    }
    int date = CivilDate.ofEpochDay(day);
    int dayOfMonth = CivilDate.dayOfMonth(date);
    int matching = daysOf(CivilDate.year(date), CivilDate.month(date), day - dayOfMonth + 1);
    int left = matching & -1 >>> (31 - dayOfMonth);
    return left != 0
        ? day + 31 - Integer.numberOfLeadingZeros(left) - dayOfMonth
        : lastDayBefore(CivilDate.year(date), CivilDate.month(date));
  }

  private int lastDayBefore(int year, int month) {
    while (true) {
      int earlier = months & (1 << month) - 1;
      if (earlier == 0) {
        earlier = months;
        year = leapDayOnly ? previousLeapYear(year) : year - 1;
        if (year < CivilDate.MIN_YEAR) {
          return Integer.MIN_VALUE;
        }
      }
      month = 31 - Integer.numberOfLeadingZeros(earlier);
      int first = CivilDate.epochDay(year, month, 1);
      int matching = daysOf(year, month, first);
      if (matching != 0) {
        return first + 30 - Integer.numberOfLeadingZeros(matching);
      }
    }
  }

  /** The matching days of a month, bit 1 for the first; none if the month is not wanted. */
  private int daysOf(int year, int month, int firstEpochDay) {
    if ((months >>> month & 1) == 0) {
      return 0;
    }
    int result = days;
    int length = CivilDate.lengthOfMonth(year, month);
    if (weekdays != 0) {
      result |= (int) ((weekdays * SIX_WEEKS) >>> CivilDate.weekday(firstEpochDay) << 1);
    }
    if (!counted.isEmpty()) {
      result |= counted.of(length, CivilDate.weekday(firstEpochDay));
    }
    return result & -1 >>> (31 - length);
  }

  private static int nextLeapYear(int year) {
    int next = (year | 3) + 1;
    return CivilDate.isLeap(next) ? next : next + 4;
  }

  private static int previousLeapYear(int year) {
    int previous = (year - 1) & ~3;
    return CivilDate.isLeap(previous) ? previous : previous - 4;
  }
}
