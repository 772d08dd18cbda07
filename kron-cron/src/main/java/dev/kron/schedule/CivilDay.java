package dev.kron.schedule;

/**
 * Dates of the proleptic Gregorian calendar without objects: a date is packed into a {@code long}
 * as year, month and day.
 *
 * <p>The arithmetic counts days from the first of March of a year 0, so that the leap day is the
 * last day of a year and every month's start is a linear function of its number.
 */
final class CivilDay {
  private static final int DAYS_PER_ERA = 146_097; // 400 years
  private static final int EPOCH_FROM_MARCH_0 = 719_468;

  private CivilDay() {}

  /** The date of a day counted from 1970-01-01. */
  static long of(long epochDay) {
    long shifted = epochDay + EPOCH_FROM_MARCH_0;
    long era = Math.floorDiv(shifted, DAYS_PER_ERA);
    int dayOfEra = (int) (shifted - era * DAYS_PER_ERA);
    int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int monthFromMarch = (5 * dayOfYear + 2) / 153;
    int day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
    int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
    long year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
    return (year << 16) | (month << 8) | day;
  }

  static int year(long date) {
    return (int) (date >> 16);
  }

  static int month(long date) {
    return (int) (date >> 8) & 0xff;
  }

  static int day(long date) {
    return (int) date & 0xff;
  }

  /** 0 is Sunday. */
  static int dayOfWeek(long epochDay) {
    return Math.floorMod(epochDay + 4, 7);
  }

  static long epochDay(int year, int month, int day) {
    int shiftedYear = month <= 2 ? year - 1 : year;
    long era = Math.floorDiv(shiftedYear, 400);
    int yearOfEra = (int) (shiftedYear - era * 400);
    int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * DAYS_PER_ERA + dayOfEra - EPOCH_FROM_MARCH_0;
  }

  static int daysIn(int year, int month) {
    return switch (month) {
      case 4, 6, 9, 11 -> 30;
      case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
      default -> 31;
    };
  }
}
