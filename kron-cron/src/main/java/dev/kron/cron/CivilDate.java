package dev.kron.cron;

/**
 * Dates of the proleptic Gregorian calendar as plain numbers, for the years 1 to 9999. {@code
 * java.time.LocalDate} does the same and allocates.
 *
 * <p>A year is taken to begin in March, so that the leap day is its last and the lengths of the
 * months before it follow one linear formula.
 */
final class CivilDate {
  static final int MIN_YEAR = 1;
  static final int MAX_YEAR = 9999;

  /** 0001-01-01 in days from 1970-01-01. */
  static final int MIN_EPOCH_DAY = -719_162;

  /** 9999-12-31 in days from 1970-01-01. */
  static final int MAX_EPOCH_DAY = 2_932_896;

  /** Days from 0000-03-01, where the first cycle of 400 years begins, to 1970-01-01. */
  private static final int DAYS_TO_EPOCH = 719_468;

  static final int DAYS_OF_400_YEARS = 146_097;

  private CivilDate() {}

  /** Year, month and day in one number: take it apart with the methods below. */
  static int ofEpochDay(int epochDay) {
    int day = epochDay + DAYS_TO_EPOCH;
    int cycle = day / DAYS_OF_400_YEARS;
    int dayOfCycle = day - cycle * DAYS_OF_400_YEARS;
    int yearOfCycle =
        (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365;
    int dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100);
    int monthFromMarch = (5 * dayOfYear + 2) / 153;
    int dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
    int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
    int year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0);
    return year << 9 | month << 5 | dayOfMonth;
  }

  static int year(int date) {
    return date >> 9;
  }

  static int month(int date) {
    return date >> 5 & 15;
  }

  static int dayOfMonth(int date) {
    return date & 31;
  }

  static int epochDay(int year, int month, int dayOfMonth) {
    int yearFromMarch = month <= 2 ? year - 1 : year;
    int monthFromMarch = month <= 2 ? month + 9 : month - 3;
    int leapDays = yearFromMarch / 4 - yearFromMarch / 100 + yearFromMarch / 400;
    int dayOfYear = (153 * monthFromMarch + 2) / 5 + dayOfMonth - 1;
    return yearFromMarch * 365 + leapDays + dayOfYear - DAYS_TO_EPOCH;
  }

  /** 0 is Sunday. 1970-01-01 was a Thursday. */
  static int weekday(int epochDay) {
    // 719,166 is a multiple of 7 that makes every supported day positive.
    return (epochDay + 719_166 + 4) % 7;
  }

  static boolean isLeap(int year) {
    return (year & 3) == 0 && (year % 100 != 0 || (year & 15) == 0);
  }

  static int lengthOfMonth(int year, int month) {
    if (month == 2) {
      return isLeap(year) ? 29 : 28;
    }
    return 30 + ((month ^ month >> 3) & 1);
  }
}
