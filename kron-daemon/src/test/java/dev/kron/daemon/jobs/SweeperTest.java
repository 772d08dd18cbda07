package dev.kron.daemon.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.FailingDisk;
import dev.kron.daemon.HandClocks;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.runs.RunNote;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.store.LinuxDisk;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SweeperTest {
  @TempDir Path temporary;

  private final FailingDisk disk = new FailingDisk(1);
  private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
  private final HandClocks clocks = new HandClocks("2026-05-10T12:00:00Z");

  /** A state directory and its processes, for as long as a test has them. */
  private interface Work {
    void in(RunDirectories runs, LinuxProcesses processes, EventLog log) throws Exception;
  }

  private void with(Work work) throws Exception {
    try (var directory =
            StateDirectory.open(
                temporary.resolve("state"),
                disk,
                StateSettings.standard(100, clocks::now),
                "the test");
        var processes = LinuxProcesses.open((run, keeper, status) -> {});
        var log =
            new EventLog(
                new PrintStream(logged, true, UTF_8),
                EventLog.Format.TEXT,
                EventLog.Level.INFO,
                clocks::now)) {
      work.in(directory.runs(), processes, log);
    }
  }

  private String newRun() {
    return new RunIds(new SplittableRandom(1)).next(clocks.wallMillis());
  }

  @Test
  void theClaimOfAnAlertStaysAsLongAsItsNote() throws Exception {
    with(
        (runs, processes, log) -> {
          String alert = newRun();
          runs.create(alert);
          assertTrue(processes.forestall(new Run(alert, runs.of(alert))));
          runs.owe(OwedAlerts.WORD, alert, "failed".getBytes(UTF_8));
          var sweeper = new Sweeper(runs, processes, run -> false, 0, clocks, log, file -> {});
          sweeper.sweep();
          assertEquals(List.of(alert), runs.list());
          runs.settle(OwedAlerts.WORD, alert);
          sweeper.sweep();
          assertEquals(List.of(), runs.list());
        });
  }

  /** The end of a run that is not on record yet needs all that its directory has. */
  @Test
  void filesThatSayNothingGoOnceTheEndOfTheirRunIsOnRecord() throws Exception {
    with(
        (runs, processes, log) -> {
          String id = newRun();
          Path directory = runs.create(id);
          assertTrue(processes.forestall(new Run(id, directory)));
          Files.createFile(directory.resolve("stderr"));
          Files.writeString(directory.resolve("stdout.forwarded"), "9");
          Files.writeString(directory.resolve("stdout"), "one line\n");
          Set<String> active = new HashSet<>(Set.of(id));
          var sweeper =
              new Sweeper(runs, processes, active::contains, 1 << 20, clocks, log, file -> {});
          sweeper.sweep();
          assertEquals(Set.of("record", "stderr", "stdout", "stdout.forwarded"), names(directory));
          active.clear();
          sweeper.sweep();
          assertEquals(Set.of("record", "stdout"), names(directory));
          FileTime past = FileTime.fromMillis(clocks.wallMillis() - 600_000);
          Files.setLastModifiedTime(directory.resolve("record"), past);
          sweeper.sweep();
          assertEquals(Set.of("record"), names(directory));
          assertEquals(past.toMillis(), RunNote.endedAtMillis(runs, id, clocks.wallMillis()));
          assertEquals("one line\n", new String(runs.kept(id, "stdout", 99), UTF_8));
          assertEquals(
              new RunStatus.Forestalled(), processes.status(new Run(id, directory)), "as before");
        });
  }

  /** It would be the same for thousands of others. */
  @Test
  void whereThereIsNoRoomOneRunIsToldAndTheRestWaits() throws Exception {
    with(
        (runs, processes, log) -> {
          var ids = new RunIds(new SplittableRandom(1));
          FileTime past = FileTime.fromMillis(clocks.wallMillis() - 600_000);
          for (int i = 0; i < 3; i++) {
            String id = ids.next(clocks.wallMillis());
            Path directory = runs.create(id);
            assertTrue(processes.forestall(new Run(id, directory)));
            Files.writeString(directory.resolve("note"), "name a\n");
            Files.setLastModifiedTime(directory.resolve("record"), past);
          }
          var sweeper =
              new Sweeper(runs, processes, run -> false, 1 << 20, clocks, log, file -> {});
          disk.begin(FailingDisk.Trouble.FULL);
          sweeper.sweep();
          disk.end();
          for (String id : runs.list()) {
            assertEquals(Set.of("record", "note"), names(runs.of(id)));
          }
          sweeper.sweep();
          for (String id : runs.list()) {
            assertEquals(Set.of("record"), names(runs.of(id)));
          }
        });
    // The log has been closed, so all of it is there.
    assertEquals(1, logged.toString(UTF_8).split("sweep_failed", -1).length - 1);
  }

  /** What its run left behind may write on, also where an earlier daemon saw its end. */
  @Test
  void outputBeyondItsBoundIsLookedAtFromThenOn() throws Exception {
    with(
        (runs, processes, log) -> {
          String id = newRun();
          Path directory = runs.create(id);
          assertTrue(processes.forestall(new Run(id, directory)));
          Path stdout = directory.resolve("stdout");
          var fallocate = new ProcessBuilder("fallocate", "-l", "101M", stdout.toString());
          assumeTrue(fallocate.start().waitFor() == 0, "the file system gives no room beforehand");
          List<Path> told = new ArrayList<>();
          var sweeper =
              new Sweeper(runs, processes, run -> false, 1L << 30, clocks, log, told::add);
          sweeper.sweep();
          assertTrue(told.contains(stdout), told::toString);
        });
  }

  private static Set<String> names(Path directory) throws Exception {
    return Set.copyOf(new LinuxDisk().list(directory));
  }
}
