package dev.kron.daemon.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.HandClocks;
import dev.kron.process.ProcessIdentity;
import dev.kron.service.InstanceId;
import dev.kron.store.DiskException;
import dev.kron.store.LinuxDisk;
import dev.kron.store.PersistedProcessInstance;
import dev.kron.store.PersistedState;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The supervisor's file is lost, and is rebuilt from the directories of runs. */
class LostServicesTest {
  @TempDir Path temporary;

  private final HandClocks clocks = new HandClocks("2026-05-10T12:00:00Z");

  private int rebuilt(RunDirectories runs) throws DiskException {
    return new ServiceRebuild(runs, Map.of(), "boot", UUID::randomUUID)
        .into(new PersistedState(clocks.now()), List.of(), Map.of());
  }

  /** By a daemon that has made no other: its own ids never go back. */
  private String id() {
    return new RunIds(new SplittableRandom(clocks.wallMillis())).next(clocks.wallMillis());
  }

  private String run(RunDirectories runs) throws DiskException {
    String run = id();
    runs.create(run);
    new ServiceNote(new InstanceId("web", 0), 0, RunFacts.intended(run, 0, null), "boot", null)
        .write(runs);
    return run;
  }

  private StateDirectory state() throws Exception {
    StateDirectory directory =
        StateDirectory.open(
            temporary.resolve("state"),
            new LinuxDisk(),
            StateSettings.standard(100, clocks::now),
            "the test");
    directory.prepareServices();
    return directory;
  }

  @Test
  void theRunThatLivesIsTheLastOneThoughTheClockWasSetBackBeforeIt() throws Exception {
    try (StateDirectory directory = state()) {
      RunDirectories runs = directory.serviceRuns();
      String ended = run(runs);
      clocks.set("2026-01-01T00:00:00Z");
      String lives = run(runs);
      assertTrue(lives.compareTo(ended) < 0);
      for (String last : List.of(lives, ended)) {
        var memory = new PersistedState(clocks.now());
        var keeper = new ProcessIdentity(7, 7, "boot");
        new ServiceRebuild(runs, Map.of(last, keeper), "boot", UUID::randomUUID)
            .into(memory, List.of(), Map.of());
        assertEquals(
            List.of(last),
            memory.instances().stream().map(PersistedProcessInstance::runId).toList());
      }
    }
  }

  @Test
  void isNotRebuiltWithoutANoteThatCannotBeRead() throws Exception {
    try (StateDirectory directory = state()) {
      RunDirectories runs = directory.serviceRuns();
      run(runs);
      clocks.pass(Duration.ofSeconds(1));
      runs.create(id()); // of a check, say
      assertEquals(1, rebuilt(runs));

      clocks.pass(Duration.ofSeconds(1));
      String other = id();
      runs.create(other);
      Files.createDirectory(runs.of(other).resolve("note"));
      assertThrows(DiskException.class, () -> rebuilt(runs), "whose run is that?");
    }
  }
}
