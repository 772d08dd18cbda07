package dev.kron.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {
  private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

  private static long at(String instant) {
    return Instant.parse(instant).getEpochSecond();
  }

  @ParameterizedTest
  @CsvSource({
    "2026-03-01T02:32:20Z",
    "0001-01-01T00:00:00Z",
    "0099-12-31T23:59:59Z",
    "9999-12-31T23:59:59Z",
    "1969-12-31T23:59:59Z"
  })
  void writesRfc3339InUtc(String text) {
    assertEquals(text, Times.utc(at(text)));
  }

  @Test
  void writesWhatTheClockOnTheWallShows() {
    assertEquals("2026-03-01 03:32:20+01:00", Times.local(at("2026-03-01T02:32:20Z"), PARIS));
    assertEquals("2026-10-25 02:30:00+02:00", Times.local(at("2026-10-25T00:30:00Z"), PARIS));
    assertEquals("2026-10-25 02:30:00+01:00", Times.local(at("2026-10-25T01:30:00Z"), PARIS));
    assertEquals(
        "2026-03-01 02:32:20+00:00", Times.local(at("2026-03-01T02:32:20Z"), ZoneId.of("UTC")));
  }

  @Test
  void namesTheDayOnlyWhereItIsAnother() {
    long noon = at("2026-03-01T12:00:00Z");
    assertEquals("13:00:01", Times.clock(noon + 1, PARIS, noon));
    assertEquals("2026-03-02 01:00:00", Times.clock(noon + 43_200, PARIS, noon));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "59, 59s",
    "60, 1m",
    "65, 1m 5s",
    "3600, 1h",
    "3661, 1h 1m",
    "86400, 1d",
    "93600, 1d 2h",
    "86460, 1d",
    "-65, -1m 5s"
  })
  void writesASpanInAtMostTwoUnits(long seconds, String text) {
    assertEquals(text, Times.span(seconds));
  }
}
