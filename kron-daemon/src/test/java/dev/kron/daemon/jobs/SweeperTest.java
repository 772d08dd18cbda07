package dev.kron.daemon.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.HandClocks;
import dev.kron.daemon.log.EventLog;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Run;
import dev.kron.store.LinuxDisk;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SweeperTest {
  @TempDir Path temporary;

  @Test
  void theClaimOfAnAlertStaysAsLongAsItsNote() throws Exception {
    var clocks = new HandClocks("2026-05-10T12:00:00Z");
    try (var directory =
            StateDirectory.open(
                temporary.resolve("state"),
                new LinuxDisk(),
                StateSettings.standard(100, clocks::now),
                "the test");
        var processes = LinuxProcesses.open((run, keeper, status) -> {});
        var log =
            new EventLog(
                new PrintStream(PrintStream.nullOutputStream(), false, UTF_8),
                EventLog.Format.TEXT,
                EventLog.Level.INFO,
                clocks::now)) {
      RunDirectories runs = directory.runs();
      String alert = new RunIds(new SplittableRandom(1)).next(clocks.wallMillis());
      runs.create(alert);
      assertTrue(processes.forestall(new Run(alert, runs.of(alert))));
      runs.owe(OwedAlerts.WORD, alert, "failed".getBytes(UTF_8));
      var sweeper = new Sweeper(runs, processes, run -> false, 0, clocks, log);
      sweeper.sweep();
      assertEquals(List.of(alert), runs.list());
      runs.settle(OwedAlerts.WORD, alert);
      sweeper.sweep();
      assertEquals(List.of(), runs.list());
    }
  }
}
