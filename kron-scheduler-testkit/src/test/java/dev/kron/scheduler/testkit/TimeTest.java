package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.FAILS;
import static dev.kron.scheduler.testkit.Tasks.instants;
import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static dev.kron.scheduler.testkit.Tasks.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.CronCalculationException;
import dev.kron.scheduler.Registration;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Daylight saving, clocks that are set, and a year that passes. */
class TimeTest {
  @Test
  void skipsTheMinuteThatDoesNotExist() {
    var kit = kitAt("2026-03-28T12:00+01:00[Europe/Paris]");
    kit.initialize(List.of(task("a", "30 2 * * *")));
    kit.advance(Duration.ofDays(2));
    assertEquals(instants("2026-03-30T00:30:00Z"), kit.starts("a"));
  }

  @Test
  void runsTwiceInTheMinuteThatComesTwice() {
    var kit = kitAt("2026-10-24T12:00+02:00[Europe/Paris]");
    kit.initialize(List.of(task("a", "30 2 * * *")));
    kit.advance(Duration.ofDays(2));
    assertEquals(
        instants("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"),
        kit.starts("a"));
  }

  @Test
  void goesOnAfterTransitionsWithoutARestart() {
    var kit = kitAt("2026-01-01T00:00:30+01:00[Europe/Paris]");
    kit.initialize(List.of(task("a", "0 6 * * *")));
    kit.advance(Duration.ofDays(364));
    assertEquals(364, kit.starts("a").size());
    var zone = ZoneId.of("Europe/Paris");
    assertTrue(kit.starts("a").stream().allMatch(start -> start.atZone(zone).getHour() == 6));
  }

  @Test
  void testsAYearOfSchedulesInASecond() {
    var kit = kitAt("2026-01-01T00:00:30Z");
    kit.initialize(
        List.of(
            task("hourly", "5 * * * *"), task("weekly", "0 6 * * 1"), task("leap", "0 0 29 2 *")));
    kit.advance(Duration.ofDays(365));
    assertEquals(365 * 24, kit.starts("hourly").size());
    assertEquals(52, kit.starts("weekly").size());
    assertEquals(List.of(), kit.starts("leap"));
    kit.advanceTo(LocalDate.of(2028, 3, 1).atStartOfDay(ZoneId.of("UTC")).toInstant());
    assertEquals(instants("2028-02-29T00:00:00Z"), kit.starts("leap"));
  }

  @Test
  void aClockSetForwardRunsWhatWasPassedOverOnce() {
    var kit = kitAt("2026-03-01T10:00:30Z");
    kit.initialize(List.of(task("a", "0,15,30,45 * * * *")));
    kit.setClock(Instant.parse("2026-03-01T14:07:00Z"));
    kit.advance(Duration.ofMinutes(5));
    assertEquals(instants("2026-03-01T10:00:30Z", "2026-03-01T14:07:00Z"), kit.starts("a"));
  }

  @Test
  void aClockSetBackALittleDoesNotRepeatMinutes() {
    var kit = kitAt("2026-03-01T10:00:30Z");
    kit.initialize(List.of(task("a", "* * * * *")));
    kit.advance(Duration.ofMinutes(20));
    kit.setClock(Instant.parse("2026-03-01T09:50:00Z"));
    kit.clearEvents();
    kit.advanceTo(Instant.parse("2026-03-01T10:20:59Z"));
    assertEquals(List.of(), kit.starts("a"));
    kit.advance(Duration.ofMinutes(1));
    assertEquals(instants("2026-03-01T10:21:00Z"), kit.starts("a"));
  }

  @Test
  void aClockThatWasFarAheadDoesNotSilenceATask() {
    var kit = kitAt("2036-03-01T10:00:30Z");
    kit.initialize(List.of(task("a", "0 * * * *"), task("never", "30 * * * *")));
    kit.setClock(Instant.parse("2026-03-01T10:10:00Z"));
    kit.clearEvents();
    kit.advance(Duration.ofHours(1));
    assertEquals(instants("2026-03-01T11:00:00Z"), kit.starts("a"));
    assertEquals(instants("2026-03-01T10:30:00Z"), kit.starts("never"));
  }

  @Test
  void aClockThatWasFarAheadDoesNotSilenceATaskAfterARestartEither() {
    var kit = kitAt("2036-03-01T10:00:30Z");
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.crash();
    kit.setClock(Instant.parse("2026-03-01T10:10:00Z"));
    kit.initialize(List.of(task("a", "0 * * * *")));
    kit.clearEvents();
    kit.advance(Duration.ofHours(1));
    assertEquals(instants("2026-03-01T11:00:00Z"), kit.starts("a"));
  }

  @Test
  void aClockSetBackDoesNotMakeARetryWaitLongerThanItsDelay() {
    var kit = kitAt("2026-03-01T10:00:30Z");
    kit.initialize(List.of(task("a", "0 10 * * *", FAILS, Duration.ofMinutes(5))));
    kit.setClock(Instant.parse("2026-03-01T08:30:00Z"));
    kit.clearEvents();
    kit.advance(Duration.ofMinutes(6));
    assertEquals(instants("2026-03-01T08:35:00Z"), kit.starts("a"));
  }

  @Test
  void aRetryDelayWithoutEndIsNoError() {
    var kit = kitAt("2026-03-01T10:00:30Z");
    kit.initialize(List.of(task("a", "0 10 * * *", FAILS, Duration.ofSeconds(Long.MAX_VALUE))));
    kit.advance(Duration.ofHours(1));
    assertEquals(1, kit.starts("a").size());
  }

  @Test
  void theEndOfTimeIsACalculationError() {
    var kit = kitAt("9999-12-31T23:59:30Z");
    var error =
        assertThrows(
            CronCalculationException.class, () -> kit.initialize(List.of(task("a", "0 0 * * *"))));
    assertTrue(
        String.valueOf(error.getMessage()).startsWith("Failed to calculate next occurrence: "));
    assertEquals("0 0 * * *", error.expression());
    assertEquals("9999-12-31T23:59:30Z", error.currentTime());
    assertTrue(
        String.valueOf(error.getMessage()).endsWith(String.valueOf(error.cause().getMessage())));
  }

  /** Time stands still for the scheduler then, and a retry that has come would come for ever. */
  @Test
  void aClockPastTheLastYearDoesNotRepeatARetryForEver() {
    var kit = kitAt("2026-03-01T10:00:30Z");
    kit.initialize(List.of(task("a", "0 10 * * *", FAILS, Duration.ofMinutes(5))));
    kit.clearEvents();
    kit.setClock(Instant.parse("+12000-01-01T00:00:00Z"));
    kit.advance(Duration.ofHours(1));
    assertEquals(1, kit.starts("a").size());
    kit.clearEvents();
    kit.setClock(Instant.parse("2026-03-02T11:00:00Z"));
    kit.advance(Duration.ofMinutes(6));
    assertEquals(instants("2026-03-02T11:05:00Z"), kit.starts("a"));
  }

  /** The occurrence that a retry belongs to may lie before all years that are read. */
  @Test
  void aClockInTheFirstYearLeavesStateThatCanBeRead() {
    var kit = kitAt("0001-01-01T00:00:30Z");
    List<Registration> spread =
        Stream.of("a", "b", "c", "d", "e", "f", "g", "h")
            .map(TimeTest::someTimeInTheDayAtTheDateLine)
            .toList();
    kit.initialize(spread);
    kit.advance(Duration.ofHours(5));
    assertTrue(spread.stream().anyMatch(task -> !kit.starts(task.name()).isEmpty()));
    kit.crash();
    kit.setClock(Instant.parse("2026-03-01T10:00:30Z"));
    kit.clearEvents();
    kit.initialize(spread);
    assertTrue(spread.stream().anyMatch(task -> !kit.starts(task.name()).isEmpty()));
  }

  private static Registration someTimeInTheDayAtTheDateLine(String name) {
    return Registration.builder()
        .name(name)
        .cronExpression("0 0 * * *")
        .callback(FAILS)
        .zone(ZoneId.of("+18:00"))
        .window(Duration.ofHours(24))
        .build();
  }

  @Test
  void aClockInAnotherZoneGoesOnWithTheKits() {
    var kit = kitAt("2026-03-01T10:00:30Z");
    var tokyo = kit.clock().withZone(ZoneId.of("Asia/Tokyo"));
    kit.advance(Duration.ofHours(1));
    assertEquals(Instant.parse("2026-03-01T11:00:30Z"), tokyo.instant());
    assertEquals(tokyo.instant().toEpochMilli(), tokyo.millis());
    kit.setClock(Instant.parse("2026-03-01T09:00:00Z"));
    assertEquals("2026-03-01T18:00+09:00[Asia/Tokyo]", ZonedDateTime.now(tokyo).toString());
    assertEquals(kit.clock(), tokyo.withZone(ZoneOffset.UTC));
  }

  @Test
  void aClockBefore1970IsAClock() {
    var kit = kitAt("1969-12-31T22:30:30Z");
    kit.initialize(List.of(task("a", "0 * * * *", FAILS, Duration.ofMinutes(5))));
    kit.advance(Duration.ofMinutes(36));
    assertEquals(instants("1969-12-31T23:00:00Z", "1969-12-31T23:05:00Z"), kit.starts("a"));
    kit.stop();
    kit.initialize(List.of());
    kit.advance(Duration.ofHours(2));
    kit.stop();
  }

  @Test
  void timeDoesNotPassBackwards() {
    var kit = kitAt("2026-03-01T10:00:30Z");
    assertThrows(
        IllegalArgumentException.class, () -> kit.advanceTo(Instant.parse("2026-03-01T10:00:00Z")));
  }
}
