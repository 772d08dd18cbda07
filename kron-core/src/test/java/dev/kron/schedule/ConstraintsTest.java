package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

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
    Constraints constraints = constraints(modifiers);
    long second = local.atZone(PARIS).toEpochSecond();
    assertEquals(rejection.isEmpty(), constraints.allow(second, PARIS));
    @Nullable String actual = constraints.rejection(second, PARIS);
    assertEquals(rejection, actual == null ? "" : actual);
  }

  @Test
  void looksAtBothHoursThatAClockChangeDoubles() {
    Constraints constraints = constraints("@only(hours=2)");
    long first = LocalDateTime.parse("2026-10-25T00:30:00").toEpochSecond(java.time.ZoneOffset.UTC);
    assertNull(constraints.rejection(first, PARIS));
    assertNull(constraints.rejection(first + 3600, PARIS));
    assertEquals("@only(hours=2)", constraints.rejection(first + 7200, PARIS));
  }

  private static Constraints constraints(String modifiers) {
    return Schedule.parse("0 0 * * * @tz(Europe/Paris) " + modifiers).constraints();
  }
}
