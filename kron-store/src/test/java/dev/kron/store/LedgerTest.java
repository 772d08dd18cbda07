package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LedgerTest {
  @TempDir Path temporary;

  private Ledger ledger() {
    return new Ledger(new LinuxDisk(), temporary);
  }

  private static Ledger.Absence absence(long from, long to) {
    return new Ledger.Absence(from, to);
  }

  @Test
  void tellsWhenTheDaemonWasDown() throws Exception {
    Ledger first = ledger();
    first.begin(1000, "boot-1");
    first.touch(1060);
    first.end(1090);
    Ledger second = ledger();
    second.begin(2000, "boot-1");
    second.touch(2060);
    Ledger third = ledger(); // the second one was killed
    third.begin(3000, "boot-2");
    assertEquals(List.of(absence(1090, 2000), absence(2060, 3000)), third.downBetween(0, 10_000));
    assertEquals(List.of(absence(1500, 1600)), third.downBetween(1500, 1600));
    assertEquals(List.of(), third.downBetween(1000, 1090));
    assertEquals(List.of(), third.downBetween(0, 900), "before the ledger nothing is known");
  }

  @Test
  void writesLinesThatPeopleCanRead() throws Exception {
    Ledger ledger = ledger();
    ledger.begin(1_772_323_200, "boot-1");
    ledger.touch(1_772_323_260);
    ledger.end(1_772_323_262);
    assertEquals(
        """
        up 2026-03-01T00:00:00Z boot-1
        seen 2026-03-01T00:00:00Z
        seen 2026-03-01T00:01:00Z
        down 2026-03-01T00:01:02Z
        """,
        Files.readString(temporary.resolve("ledger")));
  }

  @Test
  void countsTimeThatNobodySawAsAbsence() throws Exception {
    Ledger ledger = ledger();
    ledger.begin(1000, "b");
    ledger.touch(1060);
    ledger.touch(9000); // asleep, stopped, or the clock jumped
    ledger.touch(9060);
    assertEquals(List.of(absence(1060, 9000)), ledger.downBetween(0, 10_000));
    ledger.touch(5000); // the clock was set back
    ledger.touch(5060);
    assertEquals(List.of(absence(1060, 5000), absence(5060, 9000)), ledger.downBetween(0, 10_000));
  }

  @Test
  void twoMinutesWithoutALookAreNoAbsence() throws Exception {
    Ledger ledger = ledger();
    ledger.begin(1000, "b");
    ledger.touch(1120);
    assertEquals(List.of(), ledger.downBetween(0, 10_000));
    ledger.touch(1241);
    assertEquals(List.of(absence(1120, 1241)), ledger.downBetween(0, 10_000));
  }

  @Test
  void staysSmallForYears() throws Exception {
    PowerLossDisk disk = new PowerLossDisk(new SplittableRandom(1), temporary);
    Ledger ledger = new Ledger(disk, temporary);
    ledger.begin(0, "b");
    for (int minute = 1; minute <= 10_000; minute++) {
      ledger.touch(minute * 60L);
    }
    assertTrue(size(disk) < 200_000);
    for (int start = 0; start < 1500; start++) {
      ledger = new Ledger(disk, temporary);
      ledger.begin(1_000_000 + start * 1000L, "b");
    }
    assertTrue(size(disk) < 200_000);
    assertEquals(999, ledger.downBetween(0, Long.MAX_VALUE).size(), "the newest thousand");
  }

  private long size(PowerLossDisk disk) {
    return Objects.requireNonNull(disk.status(temporary.resolve("ledger"))).size();
  }

  @Test
  void passesOverWhatIsTornOrDamaged() throws Exception {
    Ledger ledger = ledger();
    ledger.begin(1000, "b");
    ledger.touch(1060);
    Path file = temporary.resolve("ledger");
    Files.writeString(file, "rubbish\nup\nup never b\nseen 2026-", StandardOpenOption.APPEND);
    Ledger next = ledger();
    next.begin(2000, "b");
    assertEquals(List.of(absence(1060, 2000)), next.downBetween(0, 3000));
  }
}
