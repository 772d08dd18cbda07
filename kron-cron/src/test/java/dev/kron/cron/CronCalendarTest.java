package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronCalendarTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # skips the minute that does not exist
          30 2 * * *   | Europe/Paris        | 2026-03-28T12:00:00Z | 2026-03-30T00:30:00Z
          0 3 * * *    | Europe/Paris        | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z
          59 1 * * *   | Europe/Paris        | 2026-03-28T12:00:00Z | 2026-03-29T00:59:00Z
          # matches twice the minute that exists twice
          30 2 * * *   | Europe/Paris        | 2026-10-24T12:00:00Z | 2026-10-25T00:30:00Z
          30 2 * * *   | Europe/Paris        | 2026-10-25T00:30:00Z | 2026-10-25T01:30:00Z
          30 2 * * *   | Europe/Paris        | 2026-10-25T01:30:00Z | 2026-10-26T01:30:00Z
          */30 2 * * * | Europe/Paris        | 2026-10-25T00:30:00Z | 2026-10-25T01:00:00Z
          # shifts of half an hour, offsets of three quarters
          15 2 * * *   | Australia/Lord_Howe | 2026-10-03T12:00:00Z | 2026-10-04T15:15:00Z
          45 1 * * *   | Australia/Lord_Howe | 2026-04-04T14:45:00Z | 2026-04-04T15:15:00Z
          0 12 * * *   | Asia/Kathmandu      | 2026-01-01T00:00:00Z | 2026-01-01T06:15:00Z
          50 2 * * *   | Pacific/Chatham     | 2026-04-04T13:05:00Z | 2026-04-04T14:05:00Z
          0 2 * * *    | Antarctica/Troll    | 2026-03-28T12:00:00Z | 2026-03-30T00:00:00Z
          # a day that was skipped, one that was lived twice
          0 12 30 12 * | Pacific/Apia        | 2011-12-01T00:00:00Z | 2012-12-29T22:00:00Z
          0 12 * * *   | Pacific/Apia        | 2011-12-29T22:00:00Z | 2011-12-30T22:00:00Z
          0 12 * * 5   | Pacific/Apia        | 2011-12-28T00:00:00Z | 2012-01-05T22:00:00Z
          0 12 20 8 *  | Pacific/Kwajalein   | 1993-08-21T12:00:00Z | 1994-08-20T00:00:00Z
          # local mean time has seconds
          0 0 * * *    | Europe/Amsterdam    | 1800-01-01T00:00:00Z | 1800-01-01T23:42:30Z
          0 0 1 1 *    | Africa/Monrovia     | 1971-06-01T00:00:00Z | 1972-01-01T00:44:30Z
          # a midnight that does not exist
          0 0 * 9 0    | America/Santiago    | 2026-09-01T00:00:00Z | 2026-09-13T03:00:00Z
          # leap days
          0 0 29 2 *   | UTC                 | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z
          0 0 29 2 *   | Europe/Paris        | 2096-03-01T00:00:00Z | 2104-02-28T23:00:00Z
          0 0 29 2 *   | UTC                 | 1999-12-31T23:59:59Z | 2000-02-29T00:00:00Z
          0 0 29,30 2 *| UTC                 | 2196-02-29T00:00:00Z | 2204-02-29T00:00:00Z
          0 0 29 2,3 * | UTC                 | 2026-03-29T00:00:00Z | 2027-03-29T00:00:00Z
          0 0 31 * *   | UTC                 | 2026-03-31T00:00:00Z | 2026-05-31T00:00:00Z
          0 0 31 4,12 *| UTC                 | 2026-01-01T00:00:00Z | 2026-12-31T00:00:00Z
          # the 13th or a Friday, in February
          0 0 13 2 5   | UTC                 | 2026-02-06T00:00:00Z | 2026-02-13T00:00:00Z
          0 0 13 2 5   | UTC                 | 2026-02-27T00:00:00Z | 2027-02-05T00:00:00Z
          # year ends
          59 23 31 12 *| UTC                 | 2026-12-31T23:59:00Z | 2027-12-31T23:59:00Z
          * * * * *    | UTC                 | 2026-12-31T23:59:59Z | 2027-01-01T00:00:00Z
          # not at the second itself, nor within the minute
          * * * * *    | UTC                 | 2026-01-01T00:00:00Z | 2026-01-01T00:01:00Z
          * * * * *    | UTC                 | 2026-01-01T00:00:59Z | 2026-01-01T00:01:00Z
          * * * * *    | UTC                 | 1969-12-31T23:59:59Z | 1970-01-01T00:00:00Z
          # far in the future, where only recurring rules are left
          30 2 * 3 0   | Europe/Paris        | 9998-03-29T00:00:00Z | 9999-03-07T01:30:00Z
          0 12 * * *   | Europe/Paris        | 9999-07-01T00:00:00Z | 9999-07-01T10:00:00Z
          """)
  void findsTheNextMatch(String expression, String zone, String after, String expected) {
    CronCalendar calendar = calendar(expression, zone);
    assertEquals(Instant.parse(expected), calendar.next(Instant.parse(after)));
    assertEquals(Instant.parse(expected), calendar.previous(Instant.parse(expected)));
    assertTrue(calendar.matches(Instant.parse(expected).getEpochSecond()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          30 2 * * *   | Europe/Paris        | 2026-03-29T12:00:00Z | 2026-03-28T01:30:00Z
          30 2 * * *   | Europe/Paris        | 2026-10-25T12:00:00Z | 2026-10-25T01:30:00Z
          30 2 * * *   | Europe/Paris        | 2026-10-25T01:29:59Z | 2026-10-25T00:30:00Z
          0 12 30 12 * | Pacific/Apia        | 2012-12-01T00:00:00Z | 2010-12-30T22:00:00Z
          0 0 29 2 *   | UTC                 | 2104-02-28T23:59:59Z | 2096-02-29T00:00:00Z
          0 0 29 2 *   | Europe/Paris        | 2026-01-01T00:00:00Z | 2024-02-28T23:00:00Z
          0 0 31 1 *   | UTC                 | 2026-01-30T00:00:00Z | 2025-01-31T00:00:00Z
          * * * * *    | UTC                 | 2026-01-01T00:00:59Z | 2026-01-01T00:00:00Z
          * * * * *    | UTC                 | 2026-01-01T00:00:00Z | 2026-01-01T00:00:00Z
          15 3 * * 1-5 | UTC                 | 2026-11-15T00:00:00Z | 2026-11-13T03:15:00Z
          0 0 * 2 1    | UTC                 | 2026-02-01T00:00:00Z | 2025-02-24T00:00:00Z
          """)
  void findsThePreviousMatch(String expression, String zone, String at, String expected) {
    assertEquals(Instant.parse(expected), calendar(expression, zone).previous(Instant.parse(at)));
  }

  @Test
  void endsWithTheYear9999() {
    long last = Instant.parse("9999-12-31T23:59:00Z").getEpochSecond();
    CronCalendar everyMinute = calendar("* * * * *", "UTC");
    assertEquals(last, everyMinute.next(last - 1));
    assertEquals(CronCalendar.NONE, everyMinute.next(last));
    assertEquals(CronCalendar.NONE, everyMinute.next(Long.MAX_VALUE));
    assertEquals(last, everyMinute.previous(Long.MAX_VALUE));
    long lastLeapDay = Instant.parse("9996-02-29T00:00:00Z").getEpochSecond();
    assertEquals(CronCalendar.NONE, calendar("0 0 29 2 *", "UTC").next(lastLeapDay));
    assertEquals(lastLeapDay, calendar("0 0 29 2 *", "UTC").previous(Long.MAX_VALUE));
  }

  @Test
  void beginsWithTheYear1() {
    long first = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
    CronCalendar everyMinute = calendar("* * * * *", "UTC");
    assertEquals(first, everyMinute.next(first - 1));
    assertEquals(first, everyMinute.next(Long.MIN_VALUE));
    assertEquals(first, everyMinute.previous(first));
    assertEquals(CronCalendar.NONE, everyMinute.previous(first - 1));
    assertEquals(CronCalendar.NONE, everyMinute.previous(Long.MIN_VALUE));
    assertFalse(everyMinute.matches(Long.MIN_VALUE));
    long firstLeapDay = Instant.parse("0004-02-29T00:00:00Z").getEpochSecond();
    assertEquals(firstLeapDay, calendar("0 0 29 2 *", "UTC").next(Long.MIN_VALUE));
    assertEquals(CronCalendar.NONE, calendar("0 0 29 2 *", "UTC").previous(firstLeapDay - 1));
    assertEquals(CronCalendar.NONE, calendar("0 0 31 12 *", "UTC").previous(first));
  }

  @Test
  void saysThatThereIsNoOccurrence() {
    Instant time = Instant.parse("9999-12-31T23:59:00Z");
    var failure =
        assertThrows(CronCalculationException.class, () -> calendar("0 3 * * *", "UTC").next(time));
    assertEquals(
        "Failed to calculate next occurrence: no occurrence after 9999-12-31T23:59:00Z and before"
            + " the year 10000",
        failure.getMessage());
    assertEquals("0 3 * * *", failure.expression());
    assertEquals("9999-12-31T23:59:00Z", failure.currentTime());
    assertEquals(failure.getCause(), failure.cause());
    assertThrows(
        CronCalculationException.class,
        () -> calendar("0 3 * * *", "UTC").previous(Instant.parse("0000-01-01T00:00:00Z")));
  }

  @Test
  void visitsEveryMinuteOfTheDayOnWhichSamoaSkippedOne() {
    CronCalendar everyMinute = calendar("* * * * *", "Pacific/Apia");
    long from = Instant.parse("2011-12-29T00:00:00Z").getEpochSecond();
    for (long second = from; second < from + 3 * 86_400; second += 60) {
      assertEquals(second + 60, everyMinute.next(second));
    }
  }

  private static CronCalendar calendar(String expression, String zone) {
    return new CronCalendar(CronExpression.krontab(expression), ZoneId.of(zone));
  }
}
