package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JobStatesTest {
  @TempDir Path temporary;

  @Test
  void readsBackWhatItCommitted() throws Exception {
    JobState state =
        Samples.withRuns(
            Samples.state(Samples.IDENTITY),
            Samples.run("a", Samples.NOMINAL + 60),
            Samples.run("b", Samples.NOMINAL + 120));
    Path directory = temporary.resolve("state");
    try (StateDirectory store =
        StateDirectory.open(directory, new LinuxDisk(), Samples.settings(), "pid 1")) {
      var results = store.jobs().commit(List.of(new StateChange(state, List.of(Samples.ended(1)))));
      assertInstanceOf(CommitResult.Durable.class, results.getFirst());
    }
    try (StateDirectory store =
        StateDirectory.open(directory, new LinuxDisk(), Samples.settings(), "pid 1")) {
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(List.of(), loaded.quarantined());
      assertEquals(List.of(state), loaded.states());
      assertEquals(List.of(Samples.ended(1)), store.jobs().history(Samples.IDENTITY));
    }
  }

  @Test
  void findsTheStateOfAJobThatComesBack() throws Exception {
    Path directory = temporary.resolve("state");
    try (StateDirectory store =
        StateDirectory.open(directory, new LinuxDisk(), Samples.settings(), "pid 1")) {
      assertEquals(Optional.empty(), store.jobs().find("/a:b"));
      assertEquals(List.of(), store.jobs().history("/a:b"));
      JobState state = Samples.state("/a:b");
      store.jobs().commit(List.of(new StateChange(state, List.of())));
      assertEquals(Optional.of(state), store.jobs().find("/a:b"));
      Files.writeString(directory.resolve(JobStates.fileName("/a:b")), "rotten");
      assertTrue(store.jobs().find("/a:b").orElseThrow().pastLost());
    }
  }

  @Test
  void findsWhatTheArrivalsLogKnowsOfAJobThatComesBack() throws Exception {
    try (StateDirectory store =
        StateDirectory.open(
            temporary.resolve("state"), new LinuxDisk(), Samples.settings(), "pid 1")) {
      store.jobs().commit(List.of(new StateChange(Samples.state("/a:edited"), List.of())));
      store
          .arrivals()
          .append(
              List.of(
                  new Arrival("/a:waits", "f", 1000, false),
                  new Arrival("/a:lost", "quarantined", 2000, true),
                  new Arrival("/a:edited", "g", 3000, false)));
      var found = store.find(List.of("/a:waits", "/a:lost", "/a:edited", "/a:new"));
      assertEquals(
          Map.of(
              "/a:waits",
              JobState.arrived("/a:waits", "f", 1000, false),
              "/a:lost",
              JobState.arrived("/a:lost", "quarantined", 2000, true),
              "/a:edited",
              Samples.state("/a:edited").withSchedule("g", 3000)),
          found);
    }
  }

  @Test
  void aFileThatIsDamagedByNowHasLostWhatTheArrivalsLogKnewBefore() throws Exception {
    Path directory = temporary.resolve("state");
    try (StateDirectory store =
        StateDirectory.open(directory, new LinuxDisk(), Samples.settings(), "pid 1")) {
      store.arrivals().append(List.of(new Arrival("/a:b", "f", 1000, false)));
      store.jobs().commit(List.of(new StateChange(Samples.state("/a:b"), List.of())));
      Files.writeString(directory.resolve(JobStates.fileName("/a:b")), "rotten");
      JobState found = Objects.requireNonNull(store.find(List.of("/a:b")).get("/a:b"));
      for (String fingerprint : List.of("f", "another")) {
        long later = Samples.NOW.getEpochSecond() + 5;
        JobState after = found.withSchedule(fingerprint, later);
        assertTrue(after.pastLost(), fingerprint);
        assertEquals(later, after.since(), "what began before may have run");
      }
    }
  }

  @Test
  void takesOneStateOfAJobAtATime() throws Exception {
    try (StateDirectory store =
        StateDirectory.open(
            temporary.resolve("state"), new LinuxDisk(), Samples.settings(), "pid 1")) {
      StateChange change = new StateChange(Samples.state("/a:b"), List.of());
      assertThrows(
          IllegalArgumentException.class, () -> store.jobs().commit(List.of(change, change)));
      assertEquals(List.of(), store.jobs().commit(List.of()));
    }
  }
}
