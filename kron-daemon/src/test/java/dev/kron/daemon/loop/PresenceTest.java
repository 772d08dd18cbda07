package dev.kron.daemon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.daemon.HandClocks;
import dev.kron.daemon.loop.Presence.Absence;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Absence, told from load and from a clock that was set. */
class PresenceTest {
  private static final String NOON = "2026-05-10T12:00:00Z";

  private final HandClocks clocks = new HandClocks(NOON);
  private final Presence presence = new Presence(clocks.wallMillis(), clocks.bootNanos());

  private static long millis(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }

  @Test
  void isThereFromTheBeginning() {
    assertEquals(millis(NOON), presence.sinceMillis());
  }

  @Test
  void staysThereWhileSomebodyLooksOftenEnough() {
    for (int i = 0; i < 10_000; i++) {
      clocks.pass(Duration.ofNanos(Presence.OBSERVE_EVERY_NANOS));
      assertEquals(Optional.empty(), presence.observe(clocks));
    }
    assertEquals(millis(NOON), presence.sinceMillis());
  }

  @Test
  void aPauseOfTwoSecondsIsNoAbsence() {
    clocks.pass(Duration.ofSeconds(2));
    assertEquals(Optional.empty(), presence.observe(clocks));
    assertEquals(millis(NOON), presence.sinceMillis());
  }

  @Test
  void aLongerPauseIsOne() {
    clocks.pass(Duration.ofMillis(2001));
    assertEquals(
        Optional.of(new Absence(millis(NOON), millis("2026-05-10T12:00:02.001Z"), false)),
        presence.observe(clocks));
    assertEquals(millis("2026-05-10T12:00:02.001Z"), presence.sinceMillis());
  }

  /** Between its two looks at the clocks a thread has to wait, as it may on a busy machine. */
  @Test
  void aWaitBetweenTheTwoClocksIsLoad() {
    var waits = new AtomicInteger();
    Clocks busy =
        new Clocks() {
          @Override
          public long wallMillis() {
            if (waits.incrementAndGet() <= 3) {
              clocks.pass(Duration.ofMillis(600));
            }
            return clocks.wallMillis();
          }

          @Override
          public long bootNanos() {
            return clocks.bootNanos();
          }
        };
    assertEquals(Optional.empty(), presence.observe(busy));
    assertEquals(millis(NOON), presence.sinceMillis());
    assertEquals(4, waits.get());
  }

  @Test
  void aStopForAMinuteIsAbsenceNotAMovedClock() {
    clocks.pass(Duration.ofMinutes(1));
    assertEquals(
        Optional.of(new Absence(millis(NOON), millis("2026-05-10T12:01:00Z"), false)),
        presence.observe(clocks));
  }

  @Test
  void anAbsenceIsToldOnce() {
    clocks.pass(Duration.ofMinutes(1));
    presence.observe(clocks);
    clocks.pass(Duration.ofMillis(450));
    assertEquals(Optional.empty(), presence.observe(clocks));
    assertEquals(millis("2026-05-10T12:01:00Z"), presence.sinceMillis());
  }

  @Test
  void aClockSetForwardOrBackIsNoticedAtTheNextLook() {
    clocks.pass(Duration.ofMillis(450));
    clocks.set("2037-05-10T12:00:00Z");
    assertEquals(
        Optional.of(new Absence(millis(NOON), millis("2037-05-10T12:00:00Z"), true)),
        presence.observe(clocks));
    assertEquals(millis("2037-05-10T12:00:00Z"), presence.sinceMillis());
    clocks.set("2026-05-10T12:00:01Z");
    assertEquals(
        Optional.of(
            new Absence(millis("2037-05-10T12:00:00Z"), millis("2026-05-10T12:00:01Z"), true)),
        presence.observe(clocks));
    assertEquals(millis("2026-05-10T12:00:01Z"), presence.sinceMillis());
  }

  @Test
  void aClockThatIsNudgedIsNotAClockThatWasSet() {
    clocks.set("2026-05-10T12:00:00.500Z");
    assertEquals(Optional.empty(), presence.observe(clocks));
    clocks.set("2026-05-10T12:00:00Z");
    assertEquals(Optional.empty(), presence.observe(clocks));
    clocks.set("2026-05-10T11:59:59.499Z");
    assertEquals(
        Optional.of(new Absence(millis(NOON), millis("2026-05-10T11:59:59.499Z"), true)),
        presence.observe(clocks));
  }

  @Test
  void whoCouldNotActWasNotThere() {
    clocks.pass(Duration.ofSeconds(1));
    presence.observe(clocks);
    presence.interrupt(clocks.wallMillis());
    assertEquals(millis("2026-05-10T12:00:01Z"), presence.sinceMillis());
    clocks.pass(Duration.ofMillis(450));
    assertEquals(Optional.empty(), presence.observe(clocks));
    assertEquals(millis("2026-05-10T12:00:01Z"), presence.sinceMillis());
  }
}
