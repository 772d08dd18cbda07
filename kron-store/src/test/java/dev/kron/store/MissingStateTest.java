package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that must have been there are missed, and a directory that was taken away is not used. */
final class MissingStateTest {
  private static final String IDENTITY = "/a:b";
  @TempDir Path temporary;

  private StateDirectory open() throws Exception {
    return StateDirectory.open(
        temporary.resolve("state"), new LinuxDisk(), Samples.settings(), "pid 1");
  }

  private static StateChange change(JobState state) {
    return new StateChange(state, List.of());
  }

  private static Path file(StateDirectory store) {
    return store.path().resolve(JobStates.fileName(IDENTITY));
  }

  private LoadedStates load() throws Exception {
    try (StateDirectory store = open()) {
      return store.load(UnaryOperator.identity());
    }
  }

  private void commitAndRemove(String name) throws Exception {
    try (StateDirectory store = open()) {
      store.load(UnaryOperator.identity());
      assertInstanceOf(
          CommitResult.Durable.class,
          store.jobs().commit(List.of(change(Samples.state(IDENTITY)))).getFirst());
      Files.delete(store.path().resolve(name));
    }
  }

  @Test
  void aStateFileThatWasThereIsLostWhereItIsMissing() throws Exception {
    commitAndRemove(JobStates.fileName(IDENTITY));
    LoadedStates loaded = load();
    assertEquals(List.of(JobStates.fileName(IDENTITY)), loaded.missing());
    Arrival arrival = loaded.arrival(IDENTITY).orElseThrow();
    assertEquals(new Arrival(IDENTITY, Arrivals.QUARANTINED, now(), true), arrival);
    LoadedStates again = load();
    assertEquals(List.of(), again.missing(), "told once");
    assertEquals(arrival, again.arrival(IDENTITY).orElseThrow());
  }

  /** The name of a first file may not become durable, or the log may not take the line of it. */
  @ParameterizedTest
  @ValueSource(strings = {"syncDirectory", "append"})
  void aFileWhoseFirstWriteFailedHalfwayIsMissedAsWell(String operation) throws Exception {
    var disk = new FaultyDisk(new LinuxDisk());
    try (StateDirectory store =
        StateDirectory.open(temporary.resolve("state"), disk, Samples.settings(), "pid 1")) {
      store.load(UnaryOperator.identity());
      store.jobs().commit(List.of(change(Samples.state("/other:one"))));
      // The log is first told of the arrival, then of the file.
      var left = new AtomicInteger(operation.equals("append") ? 2 : 1);
      disk.failing(
          (actual, path) ->
              actual.equals(operation) && left.decrementAndGet() == 0
                  ? DiskException.Reason.INPUT_OUTPUT
                  : null);
      StateChange change = change(Samples.state(IDENTITY));
      assertInstanceOf(CommitResult.Failed.class, store.jobs().commit(List.of(change)).getFirst());
      assertTrue(Files.exists(file(store)), "it failed after the rename");
      disk.healthy();
      assertInstanceOf(CommitResult.Durable.class, store.jobs().commit(List.of(change)).getFirst());
      Files.delete(file(store));
    }
    assertEquals(List.of(JobStates.fileName(IDENTITY)), load().missing());
  }

  private static long now() {
    return Samples.NOW.getEpochSecond();
  }

  @Test
  void aJobThatComesBackToARunningDaemonHasLostItsFileLikewise() throws Exception {
    commitAndRemove(JobStates.fileName(IDENTITY));
    try (StateDirectory store = open()) {
      Map<String, JobState> found = store.find(List.of(IDENTITY, "/new:one"));
      assertTrue(Objects.requireNonNull(found.get(IDENTITY)).pastLost());
      assertFalse(found.containsKey("/new:one"));
    }
  }

  /** A daemon that lives on, or that could not begin the log anew: nobody knows who was new. */
  @Test
  void aJobThatComesToARunningDaemonWithoutItsLogOfArrivalsMayHaveHadAFile() throws Exception {
    load();
    try (StateDirectory store = open()) {
      store.load(UnaryOperator.identity());
      assertFalse(store.find(List.of(IDENTITY)).containsKey(IDENTITY), "new");
      Files.delete(store.path().resolve("arrivals"));
      assertTrue(Objects.requireNonNull(store.find(List.of(IDENTITY)).get(IDENTITY)).pastLost());
      store.arrivals().append(List.of(new Arrival("/other:one", "f", 1, false)));
      assertTrue(Objects.requireNonNull(store.find(List.of(IDENTITY)).get(IDENTITY)).pastLost());
      JobState other = Objects.requireNonNull(store.find(List.of("/other:one")).get("/other:one"));
      assertFalse(other.pastLost(), "it arrived after that");
    }
  }

  /** A start on a full disk can note nothing, and the clock may be set back before it can. */
  @Test
  void whatWasMissingAtAStartIsLostSinceThatStartWhateverTheClockSaysLater() throws Exception {
    commitAndRemove(JobStates.fileName(IDENTITY));
    Instant[] clock = {Samples.NOW};
    var settings = new StateSettings(100, Runnable::run, 1, () -> clock[0], List.of());
    byte[] arrivals = Files.readAllBytes(temporary.resolve("state/arrivals"));
    try (StateDirectory store =
        StateDirectory.open(temporary.resolve("state"), new LinuxDisk(), settings, "pid 1")) {
      store.load(UnaryOperator.identity());
      Files.write(store.path().resolve("arrivals"), arrivals); // as if that had not been noted
      clock[0] = Samples.NOW.minusSeconds(1800);
      JobState found = Objects.requireNonNull(store.find(List.of(IDENTITY)).get(IDENTITY));
      assertTrue(found.pastLost());
      assertEquals(now(), found.since());
      clock[0] = Samples.NOW.plusSeconds(1800);
      JobState later = Objects.requireNonNull(store.find(List.of(IDENTITY)).get(IDENTITY));
      assertEquals(now() + 1800, later.since());
    }
  }

  @Test
  void filesThatNoLineSaysAreNotedAtAStart() throws Exception {
    try (StateDirectory store = open()) {
      store.jobs().commit(List.of(change(Samples.state(IDENTITY))));
      // As an older version leaves it, which has no such lines.
      Files.writeString(store.path().resolve("arrivals"), Arrivals.HEADER + "\n");
    }
    assertEquals(List.of(), load().missing());
    try (StateDirectory store = open()) {
      Files.delete(file(store));
    }
    assertEquals(1, load().missing().size());
  }

  @Test
  void thatAFileWasThereOutlivesNewPastsAndAShorterLog() throws Exception {
    try (StateDirectory store = open()) {
      store.jobs().commit(List.of(change(Samples.state(IDENTITY))));
      for (int i = 0; i < 300; i++) {
        store.arrivals().append(List.of(new Arrival(IDENTITY, "f" + i, i, false)));
      }
    }
    load();
    try (StateDirectory store = open()) {
      assertEquals(2, Files.readAllLines(store.path().resolve("arrivals")).size());
      Files.delete(file(store));
    }
    assertEquals(1, load().missing().size());
  }

  @Test
  void aLogOfArrivalsThatIsGoneIsNotANewDirectory() throws Exception {
    assertFalse(load().arrivalsLost(), "new");
    assertFalse(load().arrivalsLost(), "nothing has arrived yet");
    try (StateDirectory store = open()) {
      Files.delete(store.path().resolve("arrivals"));
    }
    LoadedStates loaded = load();
    assertTrue(loaded.arrivalsLost());
    assertEquals(
        new Arrival(IDENTITY, Arrivals.QUARANTINED, now(), true),
        loaded.arrival(IDENTITY).orElseThrow());
    try (StateDirectory store = open()) {
      store.load(UnaryOperator.identity());
      store.arrivals().begin(List.of());
    }
    assertFalse(load().arrivalsLost(), "what is new from now on is new");
  }

  /** The daemon lives on and appends: what it wrote before is gone all the same. */
  @Test
  void aLogOfArrivalsThatIsBegunAnewByAnAppendIsStillLost() throws Exception {
    load();
    try (StateDirectory store = open()) {
      store.load(UnaryOperator.identity());
      store.arrivals().begin(List.of(new Arrival("/first:one", "f", 1, false)));
      Files.delete(store.path().resolve("arrivals"));
      store.jobs().commit(List.of(change(Samples.state(IDENTITY))));
    }
    LoadedStates loaded = load();
    assertTrue(loaded.arrivalsLost());
    assertTrue(loaded.arrival("/first:one").orElseThrow().pastLost());
    try (StateDirectory store = open()) {
      store.load(UnaryOperator.identity());
      store.arrivals().begin(List.of());
      Files.delete(file(store));
    }
    LoadedStates again = load();
    assertFalse(again.arrivalsLost(), "what is new from now on is new");
    assertEquals(1, again.missing().size(), "what was appended still counts");
  }

  @Test
  void whatElseIsMissingIsTold() throws Exception {
    try (StateDirectory store = open()) {
      assertEquals(List.of(), store.missing());
      store.ledger().begin(now(), Samples.BOOT);
    }
    try (StateDirectory store = open()) {
      assertEquals(List.of(), store.missing());
      Files.delete(store.path().resolve("ledger"));
      Files.delete(store.path().resolve("runs"));
    }
    try (StateDirectory store = open()) {
      assertEquals(List.of("ledger", "runs"), store.missing());
      store.ledger().begin(now(), Samples.BOOT);
      store.prepareServices();
    }
    try (StateDirectory store = open()) {
      assertEquals(List.of(), store.missing());
      Files.delete(store.path().resolve("supervisor/runs"));
      Files.delete(store.path().resolve("supervisor"));
    }
    try (StateDirectory store = open()) {
      assertEquals(List.of("supervisor"), store.missing());
    }
  }

  @Test
  void theDirectoryOfARunIsThereBeforeItsIntent() throws Exception {
    String runId = new RunIds(new SplittableRandom(1)).next(1_000);
    JobState state =
        Samples.withRuns(Samples.state(IDENTITY), Samples.run(runId, Samples.NOMINAL + 60));
    try (StateDirectory store = open()) {
      store.jobs().commit(List.of(change(state)));
      assertTrue(store.runs().exists(runId));
      // Only the first time: where it is missing later, that is to be seen.
      Files.delete(store.runs().of(runId));
      store.jobs().commit(List.of(change(state)));
      assertFalse(store.runs().exists(runId));
    }
  }

  @Test
  void anIntentThatCannotBeWrittenLeavesNoDirectory() throws Exception {
    String runId = new RunIds(new SplittableRandom(1)).next(1_000);
    JobState state =
        Samples.withRuns(Samples.state(IDENTITY), Samples.run(runId, Samples.NOMINAL + 60));
    try (StateDirectory store = open()) {
      Files.createDirectories(file(store).resolve("in the way"));
      assertInstanceOf(
          CommitResult.Failed.class, store.jobs().commit(List.of(change(state))).getFirst());
      assertFalse(store.runs().exists(runId));
    }
  }

  @Test
  void aDirectoryThatIsNotAtItsPathIsNotWrittenTo() throws Exception {
    Path aside = temporary.resolve("aside");
    try (StateDirectory store = open()) {
      Path path = store.path();
      store.requireInPlace();
      Files.move(path, aside);
      assertThrows(DiskException.class, store::requireInPlace);
      try (StateDirectory other = open()) {
        assertThrows(DiskException.class, store::requireInPlace);
        assertThrows(DiskException.class, store::probe);
        assertInstanceOf(
            CommitResult.Failed.class,
            store.jobs().commit(List.of(change(Samples.state(IDENTITY)))).getFirst());
        assertFalse(Files.exists(file(other)));
        other.requireInPlace();
      }
      remove(path);
      Files.move(aside, path);
      store.requireInPlace();
      store.probe();
    }
  }

  private static void remove(Path directory) throws Exception {
    try (var all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  @Test
  void aLockOfADirectoryThatWasReplacedLeavesTheOthersNameAlone() throws Exception {
    StateDirectory store = open();
    Files.move(store.path(), temporary.resolve("aside"));
    try (StateDirectory other = open()) {
      store.close();
      assertTrue(Files.exists(other.path().resolve(StateDirectory.LOCK)));
    }
  }
}
