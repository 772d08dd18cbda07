package dev.kron.daemon.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.daemon.HandClocks;
import dev.kron.service.InstanceId;
import dev.kron.store.DiskException;
import dev.kron.store.LinuxDisk;
import dev.kron.store.PersistedState;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The supervisor's file is lost, and is rebuilt from the directories of runs. */
class LostServicesTest {
  @TempDir Path temporary;

  private static int rebuilt(RunDirectories runs) throws DiskException {
    var clocks = new HandClocks("2026-05-10T12:00:00Z");
    return new ServiceRebuild(runs, Map.of(), "boot", UUID::randomUUID)
        .into(new PersistedState(clocks.now()), List.of(), Map.of());
  }

  @Test
  void isNotRebuiltWithoutANoteThatCannotBeRead() throws Exception {
    var clocks = new HandClocks("2026-05-10T12:00:00Z");
    try (var directory =
        StateDirectory.open(
            temporary.resolve("state"),
            new LinuxDisk(),
            StateSettings.standard(100, clocks::now),
            "the test")) {
      directory.prepareServices();
      RunDirectories runs = directory.serviceRuns();
      var ids = new RunIds(new SplittableRandom(1));
      String run = ids.next(clocks.wallMillis());
      runs.create(run);
      new ServiceNote(new InstanceId("web", 0), 0, RunFacts.intended(run, 0, null), "boot", null)
          .write(runs);
      runs.create(ids.next(clocks.wallMillis())); // of a check, say
      assertEquals(1, rebuilt(runs));

      String other = ids.next(clocks.wallMillis());
      runs.create(other);
      Files.createDirectory(runs.of(other).resolve("note"));
      assertThrows(DiskException.class, () -> rebuilt(runs), "whose run is that?");
    }
  }
}
