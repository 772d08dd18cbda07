package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Quarantine, versions and migrations at a start. */
final class LoadTest {
  @TempDir Path temporary;
  private Path directory = Path.of("/");

  private static final Migration FROM_ZERO =
      new Migration(
          "0",
          "1",
          file ->
              new String(file, UTF_8)
                  .replace("\"Version\":\"0\"", "\"Version\":\"1\"")
                  .replace("\"Last\"", "\"LastOutcome\"")
                  .getBytes(UTF_8));

  @BeforeEach
  void create() throws Exception {
    directory = temporary.resolve("state");
    open(Samples.settings()).close();
  }

  private StateDirectory open(StateSettings settings) throws Exception {
    return StateDirectory.open(directory, new LinuxDisk(), settings, "pid 1");
  }

  private Path write(String identity, String content) throws Exception {
    Path file = directory.resolve(JobStates.fileName(identity));
    Files.writeString(file, content);
    return file;
  }

  private LoadedStates load() throws Exception {
    return load(Samples.settings());
  }

  private LoadedStates load(StateSettings settings) throws Exception {
    try (StateDirectory store = open(settings)) {
      return store.load(UnaryOperator.identity());
    }
  }

  @Test
  void movesAnUnreadableFileAsideAndNeverDeletesIt() throws Exception {
    write("/a:good", StateFileTest.write(Samples.state("/a:good")));
    Path bad = write("/a:bad", "{\"Version\":\"1\",\"Ident");
    LoadedStates loaded = load();
    assertEquals(List.of(Samples.state("/a:good")), loaded.states());
    Quarantined moved = loaded.quarantined().getFirst();
    assertEquals(JobStates.fileName("/a:bad"), moved.file());
    assertEquals(JobStates.fileName("/a:bad") + ".corrupt.20260301T000500Z", moved.movedTo());
    assertTrue(moved.reason().startsWith("a string does not end at byte"), moved.reason());
    assertFalse(Files.exists(bad));
    assertEquals(
        "{\"Version\":\"1\",\"Ident", Files.readString(directory.resolve(moved.movedTo())));
    write("/a:bad", "");
    Quarantined second = load().quarantined().getFirst();
    assertEquals(moved.movedTo() + "-2", second.movedTo(), "the first one is still there");
  }

  @Test
  void remembersThatAPastWasLost() throws Exception {
    write("/a:bad", "");
    load();
    LoadedStates later = load();
    assertEquals(List.of(), later.quarantined());
    assertEquals(
        new Arrival("/a:bad", Arrivals.QUARANTINED, Samples.NOW.getEpochSecond(), true),
        later.arrival("/a:bad").orElseThrow());
    assertTrue(later.arrival("/a:unheard-of").isEmpty());
  }

  @Test
  void quarantinesAFileOfAnotherJob() throws Exception {
    write("/a:mine", StateFileTest.write(Samples.state("/a:yours")));
    assertEquals(
        "it holds the state of another job, '/a:yours'", load().quarantined().getFirst().reason());
  }

  @Test
  void refusesANewerVersionAndTouchesNothing() throws Exception {
    Path bad = write("/a:bad", "damaged");
    Path newer =
        write(
            "/a:newer",
            StateFileTest.write(Samples.state("/a:newer"))
                .replace("\"Version\":\"1\"", "\"Version\":\"2\""));
    StateRefusedException refused = assertThrows(StateRefusedException.class, () -> load());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(newer + " has version 2"), message);
    assertTrue(Files.exists(bad), "quarantine comes after refusal");
  }

  @Test
  void readsAnAttemptThatWaits() throws Exception {
    write("/a:b", StateFileTest.write(StateFileTest.retrying("/a:b")));
    assertEquals(List.of(StateFileTest.retrying("/a:b")), load().states());
  }

  @Test
  void refusesAMinorVersionThatItDoesNotKnow() throws Exception {
    Path newer =
        write(
            "/a:newer",
            StateFileTest.write(StateFileTest.retrying("/a:newer"))
                .replace("\"Version\":\"1.1\"", "\"Version\":\"1.9\""));
    assertThrows(StateRefusedException.class, () -> load());
    assertTrue(Files.exists(newer), "never quarantined");
  }

  @Test
  void refusesAnOlderVersionThatNothingMigrates() throws Exception {
    write("/a:old", old("/a:old"));
    StateRefusedException refused = assertThrows(StateRefusedException.class, () -> load());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.endsWith("there is no migration from version 0"), message);
  }

  private static String old(String identity) {
    return StateFileTest.write(Samples.state(identity), Samples.ended(1))
        .replace("\"Version\":\"1\"", "\"Version\":\"0\"")
        .replace("\"LastOutcome\"", "\"Last\"");
  }

  @Test
  void migratesAnOlderVersionForGood() throws Exception {
    Path file = write("/a:old", old("/a:old"));
    StateSettings settings = Samples.settings().withMigrations(List.of(FROM_ZERO));
    assertEquals(List.of(Samples.state("/a:old")), load(settings).states());
    assertTrue(Files.readString(file).contains("\"Version\":\"1\""), "it is on disk");
    assertEquals(List.of(Samples.state("/a:old")), load().states(), "and needs no migration now");
  }

  @Test
  void whatIsOwedIsKnownAfterAMigrationToo() throws Exception {
    String old = old("/a:old");
    write("/a:old", old.substring(0, old.lastIndexOf('}')) + ",\"Notices\":{\"owed\":[]}}\n");
    StateSettings settings = Samples.settings().withMigrations(List.of(FROM_ZERO));
    assertEquals(Map.of("/a:old", "{\"owed\":[]}"), load(settings).notices());
  }

  @Test
  void refusesAMigrationThatForgetsWhatWasHandled() throws Exception {
    write("/a:old", old("/a:old"));
    Migration forgetful =
        new Migration(
            "0", "1", file -> StateFileTest.write(JobState.unseen("/a:old")).getBytes(UTF_8));
    StateSettings settings = Samples.settings().withMigrations(List.of(forgetful));
    StateRefusedException refused = assertThrows(StateRefusedException.class, () -> load(settings));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.endsWith("the migration changed LastHandledPeriodID"), message);
  }

  @Test
  void migratesStepByStep() throws Exception {
    write("/a:old", old("/a:old").replace("\"Version\":\"0\"", "\"Version\":\"0.5\""));
    Migration toZero =
        new Migration(
            "0.5",
            "0",
            file -> new String(file, UTF_8).replace("\"0.5\"", "\"0\"").getBytes(UTF_8));
    StateSettings settings = Samples.settings().withMigrations(List.of(FROM_ZERO, toZero));
    assertEquals(List.of(Samples.state("/a:old")), load(settings).states());
  }

  @Test
  void keepsTheInstanceOfAnIdentityThatTheCallerHas() throws Exception {
    write("/a:b", StateFileTest.write(Samples.state("/a:b")));
    String mine = "/a:".concat("b");
    try (StateDirectory store = open(Samples.settings())) {
      LoadedStates loaded = store.load(identity -> identity.equals(mine) ? mine : identity);
      assertSame(mine, loaded.states().getFirst().identity());
    }
  }

  @Test
  void readsManyFilesWithManyThreads() throws Exception {
    for (int i = 0; i < 1000; i++) {
      write("/many:" + i, StateFileTest.write(Samples.state("/many:" + i), Samples.ended(i)));
    }
    StateSettings parallel =
        StateSettings.standard(100, java.time.InstantSource.fixed(Samples.NOW));
    assertEquals(1000, load(parallel).states().stream().distinct().count());
  }

  @Test
  void readsAFileThatIsLargerThanMost() throws Exception {
    StringBuilder entries = new StringBuilder();
    String entry = new String(StateWriter.entry(Samples.ended(1)), UTF_8);
    for (int i = 0; i < 1000; i++) {
      entries.append(i == 0 ? "" : ",").append(entry);
    }
    write("/a:b", StateFileTest.write(Samples.state("/a:b")).replace("[]", "[" + entries + "]"));
    assertEquals(List.of(Samples.state("/a:b")), load().states());
    try (StateDirectory store = open(Samples.settings())) {
      assertEquals(1000, store.jobs().history("/a:b").size());
      store.jobs().commit(List.of(new StateChange(Samples.state("/a:b"), List.of())));
      assertEquals(100, store.jobs().history("/a:b").size());
    }
  }
}
