package dev.kron.daemon.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.kron.daemon.HandClocks;
import dev.kron.daemon.jobs.RunTraces.Fate;
import dev.kron.job.HistoryEntry;
import dev.kron.process.Exits;
import dev.kron.process.LinuxProcesses;
import dev.kron.store.LinuxDisk;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a directory tells of a run that no job knows, and that nobody has claimed. */
class RunTracesTest {
  private static final Exits NOBODY = (run, keeper, status) -> {};

  @TempDir Path temporary;

  private final HandClocks clocks = new HandClocks("2026-05-10T12:00:00Z");

  /** A run of so long ago, with these files; the machine was started a hundred days ago. */
  private Fate fate(Duration age, String... files) throws Exception {
    try (var state =
            StateDirectory.open(
                temporary.resolve("state"),
                new LinuxDisk(),
                StateSettings.standard(100, clocks::now),
                "the test");
        var processes = LinuxProcesses.open(NOBODY)) {
      RunDirectories runs = state.runs();
      String run =
          new RunIds(new SplittableRandom(files.length)).next(clocks.wallMillis() - age.toMillis());
      runs.create(run);
      for (String file : files) {
        runs.write(run, file, "x".getBytes(UTF_8));
      }
      Fate fate = new RunTraces(runs, processes, clocks).of(run, List.of(0));
      assertEquals(
          fate, new RunTraces(runs, processes, clocks).of(run, List.of(0)), "and so it stays");
      return fate;
    }
  }

  @Test
  void withinOneBootItNeverBegan() throws Exception {
    assertInstanceOf(Fate.NeverBegan.class, fate(Duration.ofDays(100), "note"));
    assertInstanceOf(Fate.NeverBegan.class, fate(Duration.ofDays(1)));
  }

  @Test
  void whatWasNotedBeforeTheMachineStoppedMayHaveBegun() throws Exception {
    HistoryEntry entry =
        assertInstanceOf(Fate.Ended.class, fate(Duration.ofDays(100).plusMillis(1), "note"))
            .entry();
    assertEquals("the machine was restarted before anything was known of it", entry.reason());
    assertEquals(false, entry.success());
    assertInstanceOf(Fate.NeverBegan.class, fate(Duration.ofDays(101)), "there was no note");
  }

  @Test
  void whoeverWroteSomethingBegan() throws Exception {
    assertInstanceOf(Fate.Untold.class, fate(Duration.ofDays(1), "note", "stdout"));
    assertInstanceOf(Fate.Untold.class, fate(Duration.ofDays(1), "note", "x", "stderr"));
  }

  @Test
  void withoutItsDirectoryItNeverBegan() throws Exception {
    try (var state =
            StateDirectory.open(
                temporary.resolve("state"),
                new LinuxDisk(),
                StateSettings.standard(100, clocks::now),
                "the test");
        var processes = LinuxProcesses.open(NOBODY)) {
      String run = new RunIds(new SplittableRandom(9)).next(clocks.wallMillis());
      assertInstanceOf(
          Fate.NeverBegan.class,
          new RunTraces(state.runs(), processes, clocks).of(run, List.of(0)));
    }
  }
}
