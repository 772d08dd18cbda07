package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Times in state files mean what they mean to {@code java.time}, and nothing else is a time. */
class TimestampsTest {
  private static final String FIRST = "0000-01-01T00:00:00Z";
  private static final String LAST = "9999-12-31T23:59:59Z";

  private static long millis(String text) throws MalformedStateException {
    byte[] bytes = ("<" + text + ">").getBytes(StandardCharsets.UTF_8);
    return Timestamps.millis(bytes, 1, bytes.length - 1);
  }

  private static void refused(String text) {
    var refusal = assertThrows(MalformedStateException.class, () -> millis(text), text);
    String shown = text.substring(0, Math.min(40, text.length()));
    assertTrue(String.valueOf(refusal.getMessage()).contains(shown), refusal.getMessage());
    byte[] alone = text.getBytes(StandardCharsets.UTF_8); // nothing is read beyond it
    assertThrows(
        MalformedStateException.class, () -> Timestamps.millis(alone, 0, alone.length), text);
  }

  @Test
  void everyMomentOfTenThousandYearsReadsBack() throws Exception {
    var random = new SplittableRandom(7);
    long first = Instant.parse(FIRST).toEpochMilli();
    long last = Instant.parse(LAST).toEpochMilli();
    for (int i = 0; i < 20_000; i++) {
      long at = random.nextLong(first, last + 1);
      assertEquals(at, millis(Timestamps.ofMillis(at)));
      long second = Math.floorDiv(at, 1000L);
      assertEquals(second * 1000, millis(Timestamps.ofSecond(second)));
    }
    assertEquals(first, millis(FIRST));
    assertEquals(last, millis(LAST));
    assertEquals(Timestamps.EMPTY, millis(Timestamps.ofSecond(CronCalendar.NONE)));
  }

  /** Also the last days of all months, and days, hours, minutes and seconds that are not there. */
  @Test
  void whatIsNoDayAndNoTimeOfDayIsRefused() throws Exception {
    for (int year : List.of(0, 1600, 1900, 1999, 2000, 2023, 2024, 2100, 9999)) {
      for (int month = 0; month <= 13; month++) {
        for (int day : List.of(0, 1, 28, 29, 30, 31, 32)) {
          check("%04d-%02d-%02dT12:30:45Z".formatted(year, month, day));
        }
      }
    }
    for (int part : List.of(0, 1, 23, 24, 25, 59, 60, 61)) {
      check("2026-05-10T%02d:00:00Z".formatted(part));
      check("2026-05-10T00:%02d:00Z".formatted(part));
      check("2026-05-10T00:00:%02dZ".formatted(part));
    }
  }

  private static void check(String text) throws Exception {
    long expected;
    try {
      String local = text.substring(0, text.length() - 1);
      expected = LocalDateTime.parse(local).toInstant(ZoneOffset.UTC).toEpochMilli();
    } catch (DateTimeException e) {
      refused(text);
      return;
    }
    assertEquals(expected, millis(text), text);
  }

  @Test
  void fractionsCountToTheMillisecond() throws Exception {
    String second = "2026-05-10T12:00:00";
    long at = Instant.parse(second + "Z").toEpochMilli();
    assertEquals(at + 700, millis(second + ".7Z"));
    assertEquals(at + 70, millis(second + ".07Z"));
    assertEquals(at + 123, millis(second + ".123Z"));
    assertEquals(at + 123, millis(second + ".123999999Z"));
  }

  @Test
  void otherTextsAreRefused() {
    String second = "2026-05-10T12:00:00";
    for (String text :
        List.of(
            "Z",
            second,
            second + "z",
            second + "ZZ",
            second + ".Z",
            second + ".1",
            second + ".1Y",
            second + ".a1Z",
            second + ".1:Z",
            second + ".1/Z",
            second + "+00:00",
            "2026-05-10 12:00:00Z",
            "2026-05-10T12:00:0:Z",
            "2026-05-10T12:00:0/Z",
            "202a-05-10T12:00:00Z",
            "+026-05-10T12:00:00Z",
            "2026-05-10T12:00:00.5 and much more than what a time could ever be")) {
      refused(text);
    }
  }

  @Test
  void onlyTheYearsThatHaveFourDigitsAreWritten() {
    long first = Instant.parse(FIRST).getEpochSecond();
    long last = Instant.parse(LAST).getEpochSecond();
    Timestamps.requireSecond(first);
    Timestamps.requireSecond(last);
    Timestamps.requireSecond(CronCalendar.NONE);
    Timestamps.requireMillis(first * 1000);
    Timestamps.requireMillis(last * 1000 + 999);
    for (long second : List.of(first - 1, last + 1)) {
      assertThrows(IllegalArgumentException.class, () -> Timestamps.requireSecond(second));
      assertThrows(IllegalArgumentException.class, () -> Timestamps.requireMillis(second * 1000));
    }
    assertThrows(IllegalArgumentException.class, () -> Timestamps.requireMillis(first * 1000 - 1));
  }
}
