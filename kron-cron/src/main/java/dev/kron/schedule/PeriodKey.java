package dev.kron.schedule;

import dev.kron.cron.ZoneTimeline;
import java.nio.charset.StandardCharsets;

/**
 * Writes period ids and period keys as ASCII bytes, without formatters: they go into every seed.
 *
 * <p>Years have four digits, since the calendar of cron expressions ends with the year 9999; only
 * its last hours may lie in UTC's year 10000, which is written as {@code Instant} writes it.
 */
final class PeriodKey {
  /** The longest: {@code +10000-01-01T04:00:00Z}. */
  static final int LONGEST = 22;

  private static final long SECONDS_PER_DAY = 86_400;

  private PeriodKey() {}

  /** The nominal time in UTC, to the second. */
  static String periodId(long nominal) {
    byte[] text = new byte[LONGEST];
    return new String(text, 0, writeId(nominal, text, 0), StandardCharsets.US_ASCII);
  }

  static String of(Seed.Strategy strategy, ZoneTimeline clock, long nominal) {
    byte[] text = new byte[LONGEST];
    return new String(text, 0, write(strategy, clock, nominal, text, 0), StandardCharsets.US_ASCII);
  }

  /** Writes the key from an index on and returns the index after it. */
  static int write(Seed.Strategy strategy, ZoneTimeline clock, long nominal, byte[] to, int at) {
    return switch (strategy) {
      case STABLE -> writeId(nominal, to, at);
      case DAILY -> writeDate(localEpochDay(clock, nominal), to, at);
      case WEEKLY -> writeWeek(localEpochDay(clock, nominal), to, at);
    };
  }

  private static int writeId(long nominal, byte[] to, int start) {
    int at = writeDate(Math.floorDiv(nominal, SECONDS_PER_DAY), to, start);
    int second = (int) Math.floorMod(nominal, SECONDS_PER_DAY);
    to[at] = 'T';
    twoDigits(second / 3600, to, at + 1);
    to[at + 3] = ':';
    twoDigits(second / 60 % 60, to, at + 4);
    to[at + 6] = ':';
    twoDigits(second % 60, to, at + 7);
    to[at + 9] = 'Z';
    return at + 10;
  }

  private static int writeDate(long epochDay, byte[] to, int start) {
    long date = CivilDay.of(epochDay);
    int year = CivilDay.year(date);
    int at = start;
    if (year > 9999) {
      to[at++] = '+';
      to[at++] = '1';
      year -= 10_000;
    }
    twoDigits(year / 100, to, at);
    twoDigits(year % 100, to, at + 2);
    to[at + 4] = '-';
    twoDigits(CivilDay.month(date), to, at + 5);
    to[at + 7] = '-';
    twoDigits(CivilDay.day(date), to, at + 8);
    return at + 10;
  }

  /** The week belongs to the year in which its Thursday lies. */
  private static int writeWeek(long epochDay, byte[] to, int at) {
    long thursday = epochDay + 3 - Math.floorMod(epochDay + 3, 7);
    int year = CivilDay.year(CivilDay.of(thursday));
    int week = (int) (thursday - CivilDay.epochDay(year, 1, 1)) / 7 + 1;
    twoDigits(year / 100, to, at);
    twoDigits(year % 100, to, at + 2);
    to[at + 4] = '-';
    to[at + 5] = 'W';
    twoDigits(week, to, at + 6);
    return at + 8;
  }

  private static long localEpochDay(ZoneTimeline clock, long epochSecond) {
    return Math.floorDiv(epochSecond + clock.offsetSeconds(epochSecond), SECONDS_PER_DAY);
  }

  private static void twoDigits(int number, byte[] to, int at) {
    to[at] = (byte) ('0' + number / 10);
    to[at + 1] = (byte) ('0' + number % 10);
  }
}
