package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConstraintsTest {
  private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

  /** Local times in Paris; 2026-03-02 is a Monday. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "@only(hours=9-17)                 | 2026-03-02T09:00:00 | ``",
        "@only(hours=9-17)                 | 2026-03-02T17:59:59 | ``",
        "@only(hours=9-17)                 | 2026-03-02T08:59:59 | @only(hours=9-17)",
        "@only(hours=9-17)                 | 2026-03-02T18:00:00 | @only(hours=9-17)",
        "@only(between=18:59-19:00)        | 2026-03-02T19:00:59 | ``",
        "@only(between=18:59-19:00)        | 2026-03-02T19:01:00 | @only(between=18:59-19:00)",
        "@only(between=18:59-19:00)        | 2026-03-02T18:58:59 | @only(between=18:59-19:00)",
        "@only(hours=1;hours=3)            | 2026-03-02T03:00:00 | ``",
        "@only(hours=1) @only(hours=3)     | 2026-03-02T03:00:00 | ``",
        "@only(hours=1;dow=MON)            | 2026-03-02T03:00:00 | @only(hours=1)",
        "@only(hours=3;dow=TUE)            | 2026-03-02T03:00:00 | @only(dow=TUE)",
        "@only(hours=3;dow=MON)            | 2026-03-02T03:00:00 | ``",
        "@only(hours=1;between=03:00-03:00) | 2026-03-02T03:00:00 | @only(hours=1)",
        "@avoid(hours=1;dow=MON)           | 2026-03-02T03:00:00 | @avoid(dow=MON)",
        "@avoid(hours=3;dow=TUE)           | 2026-03-02T03:00:00 | @avoid(hours=3)",
        "@avoid(hours=1;dow=TUE)           | 2026-03-02T03:00:00 | ``",
        "@only(dow=MON) @avoid(dom=2)      | 2026-03-02T03:00:00 | @avoid(dom=2)",
        "@only(dow=7)                      | 2026-03-01T03:00:00 | ``",
        "@only(dow=0)                      | 2026-03-01T03:00:00 | ``",
        "@only(dom=31)                     | 2026-03-31T03:00:00 | ``",
        "@only(months=3)                   | 2026-03-31T23:59:59 | ``",
        "@only(months=3)                   | 2026-04-01T00:00:00 | @only(months=MAR)",
        "@only(date=2026-03-02)            | 2026-03-02T23:59:59 | ``",
        "@only(date=2026-03-02)            | 2026-03-03T00:00:00 | @only(date=2026-03-02)",
        "@only(date=2026-03-01;dates=2026-03-05..2026-03-06) | 2026-03-05T00:00:00 | ``",
        "@avoid(dates=2026-03-01..2026-03-02) | 2026-03-02T23:59:59 |"
            + " @avoid(dates=2026-03-01..2026-03-02)",
        "@avoid(dates=2026-03-01..2026-03-02) | 2026-03-03T00:00:00 | ``",
        "@only(dom=1)                      | 1950-01-01T00:30:00 | ``"
      })
  void allowsOrSaysWhichClauseDoesNot(String modifiers, LocalDateTime local, String rejection) {
    Schedule schedule = schedule(modifiers);
    long second = schedule.local(local.atZone(PARIS).toEpochSecond());
    assertEquals(rejection.isEmpty(), schedule.constraints().allow(second));
    @Nullable String actual = schedule.constraints().rejection(second);
    assertEquals(rejection, actual == null ? "" : actual);
  }

  @Test
  void looksAtBothHoursThatAClockChangeDoubles() {
    Schedule schedule = schedule("@only(hours=2)");
    long first = Instant.parse("2026-10-25T00:30:00Z").getEpochSecond();
    assertNull(rejection(schedule, first));
    assertNull(rejection(schedule, first + 3600));
    assertEquals("@only(hours=2)", rejection(schedule, first + 7200));
  }

  private static @Nullable String rejection(Schedule schedule, long epochSecond) {
    return schedule.constraints().rejection(schedule.local(epochSecond));
  }

  private static Schedule schedule(String modifiers) {
    return Schedule.parse("0 0 * * * @tz(Europe/Paris) " + modifiers);
  }
}
