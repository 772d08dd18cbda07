package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobState;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.FaultyDisk.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writes that fail: nothing counts that is not durable, and all goes on once writing works again.
 */
final class CommitFaultTest {
  @TempDir Path temporary;
  private FaultyDisk disk = new FaultyDisk(new LinuxDisk());
  private StateDirectory store = open();

  private StateDirectory open() {
    try {
      return StateDirectory.open(
          Files.createTempDirectory("kron-fault"), disk, Samples.settings(), "pid 1");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void commitFirst() {
    commit(change("/a:one", 1), change("/a:two", 1), change("/a:three", 1));
  }

  @AfterEach
  void remove() throws Exception {
    store.close();
    try (var files = Files.walk(store.path())) {
      for (Path path : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private List<CommitResult> commit(StateChange... changes) {
    return store.jobs().commit(List.of(changes));
  }

  private static StateChange change(String identity, int number) {
    JobState state = Samples.state(identity);
    long nominal = Samples.NOMINAL + number * 60L;
    return new StateChange(
        JobState.builder(identity)
            .lastHandled(nominal)
            .lastOutcome(state.lastOutcome())
            .lastChosen(nominal)
            .fingerprint(state.fingerprint())
            .since(state.since())
            .build(),
        List.of(Samples.ended(number)));
  }

  private int onDisk(String identity) throws Exception {
    String text = Files.readString(store.path().resolve(JobStates.fileName(identity)));
    return (int) (StateFileTest.read(text).lastHandled() - Samples.NOMINAL) / 60;
  }

  private void assertNothingLeftBehind() throws Exception {
    for (String name : disk.list(store.path())) {
      assertFalse(AtomicFiles.isTemporary(name), name);
    }
  }

  @Test
  void oneFileThatFailsDoesNoHarmToTheOthers() throws Exception {
    for (String operation : List.of("create", "write", "sync", "rename")) {
      for (Reason reason : List.of(Reason.NO_SPACE, Reason.INPUT_OUTPUT)) {
        disk.failing(Fault.of(operation, JobStates.fileName("/a:two"), reason));
        List<CommitResult> results =
            commit(change("/a:one", 2), change("/a:two", 2), change("/a:three", 2));
        assertInstanceOf(CommitResult.Durable.class, results.get(0));
        CommitResult.Failed failed =
            assertInstanceOf(CommitResult.Failed.class, results.get(1), operation);
        assertEquals(reason, failed.cause().reason());
        assertFalse(failed.visible());
        assertInstanceOf(CommitResult.Durable.class, results.get(2));
        assertEquals(2, onDisk("/a:one"));
        assertEquals(1, onDisk("/a:two"), "the old state stands");
        assertNothingLeftBehind();
      }
    }
    disk.healthy();
    assertInstanceOf(CommitResult.Durable.class, commit(change("/a:two", 2)).getFirst());
    assertEquals(2, onDisk("/a:two"));
  }

  @Test
  void nothingCountsWhereTheDirectoryCannotBeSynced() throws Exception {
    disk.failing(Fault.of("syncDirectory", Reason.INPUT_OUTPUT));
    List<CommitResult> results = commit(change("/a:one", 2), change("/a:two", 2));
    for (CommitResult result : results) {
      assertTrue(assertInstanceOf(CommitResult.Failed.class, result).visible());
    }
    disk.healthy();
    commit(change("/a:one", 2), change("/a:two", 2));
    assertEquals(
        List.of(Samples.ended(1), Samples.ended(2)),
        store.jobs().history("/a:one"),
        "repeated, but not twice in the history");
  }

  @Test
  void writesANewFileAfterAFailedSync() {
    Set<Path> synced = new HashSet<>();
    List<Path> failed = new ArrayList<>();
    disk.failing(
        (operation, path) -> {
          if (operation.equals("sync")) {
            assertTrue(synced.add(path), () -> path + " was synced a second time");
            if (failed.size() < 3) {
              failed.add(path);
              return Reason.INPUT_OUTPUT;
            }
          }
          return null;
        });
    for (int attempt = 0; attempt < 3; attempt++) {
      assertInstanceOf(CommitResult.Failed.class, commit(change("/a:one", 2)).getFirst());
    }
    assertInstanceOf(CommitResult.Durable.class, commit(change("/a:one", 2)).getFirst());
    assertEquals(3, failed.size());
  }

  @Test
  void syncsEachFileAndTheDirectoryOnce() {
    int syncs = disk.syncs.get();
    int directorySyncs = disk.directorySyncs.get();
    commit(change("/a:one", 2), change("/a:two", 2), change("/a:three", 2));
    assertEquals(3, disk.syncs.get() - syncs);
    assertEquals(1, disk.directorySyncs.get() - directorySyncs);
  }

  @Test
  void keepsACopyOfAFileThatWentBadUnderIt() throws Exception {
    Path file = store.path().resolve(JobStates.fileName("/a:one"));
    Files.writeString(file, "rotten");
    assertInstanceOf(CommitResult.Durable.class, commit(change("/a:one", 2)).getFirst());
    assertEquals(2, onDisk("/a:one"));
    Path copy = file.resolveSibling(file.getFileName() + ".corrupt.20260301T000500Z");
    assertEquals("rotten", Files.readString(copy));
  }

  @Test
  void doesNotWriteBlindlyOverAFileThatItMayNotRead() throws Exception {
    disk.failing(Fault.of("read", JobStates.fileName("/a:one"), Reason.NO_PERMISSION));
    assertInstanceOf(CommitResult.Failed.class, commit(change("/a:one", 2)).getFirst());
    assertEquals(1, onDisk("/a:one"));
  }

  @Test
  void quarantinesWhatThePlatterNoLongerGivesBack() throws Exception {
    disk.failing(Fault.of("read", JobStates.fileName("/a:one"), Reason.INPUT_OUTPUT));
    LoadedStates loaded = store.load(UnaryOperator.identity());
    assertEquals(2, loaded.states().size());
    assertEquals(JobStates.fileName("/a:one"), loaded.quarantined().getFirst().file());
    assertTrue(loaded.arrival("/a:one").orElseThrow().pastLost());
  }

  @Test
  void refusesToStartWhereAStateMayNotBeRead() {
    disk.failing(Fault.of("read", JobStates.fileName("/a:one"), Reason.NO_PERMISSION));
    assertThrows(StateRefusedException.class, () -> store.load(UnaryOperator.identity()));
  }

  @Test
  void movesNothingAsideBeforeTheLossIsOnRecord() throws Exception {
    Path file = store.path().resolve(JobStates.fileName("/a:one"));
    Files.writeString(file, "rotten");
    for (String operation : List.of("append", "write", "sync")) {
      disk.failing(
          (actual, path) ->
              actual.equals(operation) && path.toString().contains("arrivals")
                  ? Reason.NO_SPACE
                  : null);
      assertThrows(StateRefusedException.class, () -> store.load(UnaryOperator.identity()));
      assertEquals("rotten", Files.readString(file));
    }
    disk.healthy();
    assertEquals(1, store.load(UnaryOperator.identity()).quarantined().size());
  }

  @Test
  void writesTheArrivalsAnewAfterAFailedAppend() throws Exception {
    for (String operation : List.of("write", "sync")) {
      store.arrivals().append(List.of(new Arrival("/n:0", "f", 1, false)));
      disk.failing(
          (actual, path) ->
              actual.equals(operation) && path.endsWith("arrivals") ? Reason.NO_SPACE : null);
      assertThrows(
          DiskException.class,
          () -> store.arrivals().append(List.of(new Arrival("/n:1", "f", 1, false))));
      // Still failing for the old file: what comes next must not trust it.
      store.arrivals().append(List.of(new Arrival("/n:2", operation, 2, false)));
      disk.healthy();
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(0, loaded.damagedArrivals());
      assertEquals(operation, loaded.arrival("/n:2").orElseThrow().fingerprint());
      assertTrue(loaded.arrival("/n:0").isPresent());
    }
  }

  @Test
  void aChangedBeginningIsLoggedBeforeItIsWritten() throws Exception {
    JobState state = change("/a:one", 2).state();
    JobState changed = state.withSchedule("other", Samples.NOMINAL + 7);
    disk.failing(Fault.of("append", "arrivals", Reason.NO_SPACE));
    assertInstanceOf(
        CommitResult.Failed.class, commit(new StateChange(changed, List.of())).getFirst());
    assertInstanceOf(CommitResult.Durable.class, commit(change("/a:one", 2)).getFirst());
    assertNothingLeftBehind();
    disk.healthy();
    commit(new StateChange(changed, List.of()));
    store.arrivals().append(List.of(new Arrival("/a:one", "third", 9, false)));
    JobState loaded =
        store.load(UnaryOperator.identity()).states().stream()
            .filter(found -> found.identity().equals("/a:one"))
            .findFirst()
            .orElseThrow();
    assertEquals("third", loaded.fingerprint(), "the last word counts");
    commit(new StateChange(changed, List.of(Samples.ended(5))));
    byte[] log = Files.readAllBytes(store.path().resolve("arrivals"));
    assertTrue(new String(log, UTF_8).contains(" third "));
  }

  @Test
  void makesUpForTouchesOfTheLedgerThatFailed() throws Exception {
    store.ledger().begin(1000, Samples.BOOT);
    disk.failing(Fault.of("write", "ledger", Reason.NO_SPACE));
    assertThrows(DiskException.class, () -> store.ledger().touch(500));
    assertThrows(DiskException.class, () -> store.ledger().touch(560));
    disk.healthy();
    store.ledger().touch(620);
    store.ledger().begin(2000, Samples.BOOT);
    assertEquals(
        List.of(new Ledger.Absence(620, 1000), new Ledger.Absence(1000, 2000)),
        store.ledger().downBetween(0, 3000));
  }
}
