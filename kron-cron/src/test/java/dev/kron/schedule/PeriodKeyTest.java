package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.cron.ZoneTimeline;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PeriodKeyTest {
  @ParameterizedTest
  @CsvSource({
    "STABLE, UTC,                2026-03-01T00:00:00Z, 2026-03-01T00:00:00Z",
    "STABLE, Europe/Paris,       1969-12-31T23:59:00Z, 1969-12-31T23:59:00Z",
    "STABLE, UTC,                0001-01-01T00:00:00Z, 0001-01-01T00:00:00Z",
    "STABLE, UTC,                9999-12-31T23:59:00Z, 9999-12-31T23:59:00Z",
    "STABLE, America/New_York,   +10000-01-01T04:59:00Z, +10000-01-01T04:59:00Z",
    "DAILY,  America/New_York,   +10000-01-01T04:59:00Z, 9999-12-31",
    "DAILY,  UTC,                2026-03-01T23:30:00Z, 2026-03-01",
    "DAILY,  Europe/Paris,       2026-03-01T23:30:00Z, 2026-03-02",
    "DAILY,  America/New_York,   2026-03-01T03:30:00Z, 2026-02-28",
    "DAILY,  Pacific/Apia,       2011-12-30T09:59:00Z, 2011-12-29",
    "DAILY,  Pacific/Apia,       2011-12-30T10:00:00Z, 2011-12-31",
    "WEEKLY, UTC,                2026-01-01T00:00:00Z, 2026-W01",
    "WEEKLY, UTC,                2027-01-01T00:00:00Z, 2026-W53",
    "WEEKLY, UTC,                2024-12-30T00:00:00Z, 2025-W01",
    "WEEKLY, Pacific/Kiritimati, 2024-12-29T12:00:00Z, 2025-W01",
    "WEEKLY, UTC,                2024-12-29T23:59:00Z, 2024-W52"
  })
  void namesWhatSharesAChoice(Seed.Strategy strategy, String zone, String nominal, String key) {
    long second = Instant.parse(nominal).getEpochSecond();
    assertEquals(key, PeriodKey.of(strategy, ZoneTimeline.of(ZoneId.of(zone)), second));
    assertEquals(nominal, PeriodKey.periodId(second));
  }

  @Test
  void datesAgreeWithThePlatform() {
    SplittableRandom random = new SplittableRandom(Seeds.of(5));
    for (int i = 0; i < 100_000; i++) {
      LocalDate date = LocalDate.ofEpochDay(random.nextLong(-1_000_000, 4_000_000));
      long packed = CivilDay.of(date.toEpochDay());
      assertEquals(date.getYear(), CivilDay.year(packed));
      assertEquals(date.getMonthValue(), CivilDay.month(packed));
      assertEquals(date.getDayOfMonth(), CivilDay.day(packed));
      assertEquals(date.getDayOfWeek().getValue() % 7, CivilDay.dayOfWeek(date.toEpochDay()));
      assertEquals(date.lengthOfMonth(), CivilDay.daysIn(date.getYear(), date.getMonthValue()));
      assertEquals(
          date.toEpochDay(),
          CivilDay.epochDay(date.getYear(), date.getMonthValue(), date.getDayOfMonth()));
    }
  }
}
