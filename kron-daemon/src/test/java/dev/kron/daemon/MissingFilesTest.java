package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of a job that is missing is not an absent past: what may have run does not run again. */
final class MissingFilesTest {
  @TempDir Path directory;

  private TestDaemon krontabs(String options) throws IOException {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z")
        .write(
            ("0 * * * * @policy(deadline=30m) name=job %s shell=true"
                    + " command=\"echo $KRON_PERIOD >>%s; while [ ! -e %s ]; do sleep 0.02; done\"")
                .formatted(options, file("ran"), file("go")));
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private List<String> ran() throws IOException {
    return Files.exists(file("ran")) ? Files.readAllLines(file("ran")) : List.of();
  }

  private ActiveRun running(TestDaemon krontabs) {
    krontabs.passUntil("2026-05-04T12:00:01Z");
    krontabs.await(
        "it runs",
        () ->
            ran().size() == 1
                && krontabs.job("job").active().stream()
                    .anyMatch(run -> run.phase() == ActiveRun.Phase.STARTED));
    return krontabs.job("job").active().getFirst();
  }

  static void remove(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private static void remove(TestDaemon krontabs, String what, ActiveRun run) throws IOException {
    Path runs = krontabs.statePath().resolve("runs");
    remove(
        switch (what) {
          case "record" -> runs.resolve(run.runId()).resolve("record");
          case "directory" -> runs.resolve(run.runId());
          case "runs" -> runs;
          default -> throw new IllegalArgumentException(what);
        });
  }

  private void assertRanOnce(TestDaemon krontabs) throws IOException {
    HistoryEntry entry = krontabs.awaitEntries("job", 1);
    assertEquals(Outcome.EXECUTED, entry.outcome());
    assertNull(entry.exitCode());
    krontabs.pass(Duration.ofMinutes(2));
    assertEquals(List.of("2026-05-04T12:00:00Z"), ran());
    krontabs.passUntil("2026-05-04T13:00:01Z");
    krontabs.await("the next period", () -> ran().size() == 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"record", "directory", "runs"})
  void aDaemonThatSawARunBeginNeverStartsItAgain(String what) throws Exception {
    try (var krontabs = krontabs("").start()) {
      remove(krontabs, what, running(krontabs));
      Files.createFile(file("go"));
      assertRanOnce(krontabs);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "record, true",
    "record, false",
    "directory, true",
    "directory, false",
    "runs, true",
    "runs, false"
  })
  void aRunThatIsOnRecordAsBegunIsNeverStartedAgain(String what, boolean ended) throws Exception {
    try (var krontabs = krontabs("").start()) {
      ActiveRun run = running(krontabs);
      krontabs.stop();
      if (ended) {
        Files.createFile(file("go"));
        krontabs.await("its keeper is gone", () -> !TestProcesses.lives(run.pid()));
      }
      remove(krontabs, what, run);
      krontabs.start();
      if (!ended) {
        krontabs.passUntil("2026-05-04T12:05:00Z");
        assertEquals(List.of(run.runId()), runIds(krontabs), "it goes on");
        Files.createFile(file("go"));
      }
      assertRanOnce(krontabs);
    }
  }

  private static List<String> runIds(TestDaemon krontabs) {
    return krontabs.job("job").active().stream().map(ActiveRun::runId).toList();
  }

  @ParameterizedTest
  @CsvSource({"record, true", "record, false", "directory, true", "directory, false"})
  void aRunWithoutARecordIsHeldToItsTimeout(String what, boolean daemonThere) throws Exception {
    try (var krontabs = krontabs("timeout=10m").start()) {
      ActiveRun run = running(krontabs);
      if (!daemonThere) {
        krontabs.stop();
      }
      remove(krontabs, what, run);
      if (!daemonThere) {
        krontabs.start();
      }
      krontabs.passUntil("2026-05-04T12:10:02Z");
      HistoryEntry entry = krontabs.awaitEntries("job", 1);
      assertTrue(String.valueOf(entry.reason()).startsWith("timed out"), entry.reason());
      assertEquals(1, ran().size());
    }
  }

  @Test
  void anIntentWhoseDirectoryIsMissingMayHaveBegun() throws Exception {
    try (var krontabs = krontabs("").start()) {
      ActiveRun run = running(krontabs);
      krontabs.stop();
      Files.createFile(file("go"));
      krontabs.await("its keeper is gone", () -> !TestProcesses.lives(run.pid()));
      Path state = krontabs.stateFile("job");
      String text = Files.readString(state);
      Files.writeString(
          state,
          text.replaceAll("\"PID\":\\d+", "\"PID\":0")
              .replaceAll("\"StartTicks\":\\d+", "\"StartTicks\":0")
              .replace("\"started\"", "\"intended\""));
      remove(krontabs, "directory", run);
      krontabs.start();
      assertRanOnce(krontabs);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"its state", "arrivals", "both"})
  void aJobWhoseStateIsMissingHasLostItsPast(String what) throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:58Z").withApi()) {
      krontabs
          .write(
              ("0 * * * * @win(after,10m) @policy(deadline=1h,concurrency=allow) name=job"
                      + " shell=true command=\"echo $KRON_PERIOD >>%s\"")
                  .formatted(file("ran")))
          .start()
          .passUntil("2026-05-04T12:10:01Z");
      krontabs.awaitEntries("job", 1);
      krontabs.stop();
      Path state = krontabs.stateFile("job");
      if (!what.equals("arrivals")) {
        Files.delete(state);
      }
      if (!what.equals("its state")) {
        Files.delete(krontabs.statePath().resolve("arrivals"));
      }
      krontabs.start();
      krontabs.pass(Duration.ofMinutes(5));
      assertEquals(List.of("2026-05-04T12:00:00Z"), ran(), "its deadline would allow it");
      assertTrue(krontabs.log().contains("event=file_missing file="), krontabs.log());
      assertTrue(krontabs.caller().get("/v1/status").body().contains("files are missing"));
      krontabs.passUntil("2026-05-04T13:10:01Z");
      krontabs.await("the next period", () -> ran().size() == 2);
    }
  }

  @Test
  void aRunThatGoesOnIsFoundWhereItsJobsStateIsMissing() throws Exception {
    try (var krontabs = krontabs("").start()) {
      running(krontabs);
      krontabs.stop();
      Files.delete(krontabs.stateFile("job"));
      krontabs.start();
      krontabs.passUntil("2026-05-04T13:00:01Z");
      krontabs.await(
          "the next one is skipped",
          () ->
              krontabs.history("job").stream()
                  .anyMatch(entry -> entry.outcome() == Outcome.SKIPPED));
      assertEquals(1, ran().size());
      Files.createFile(file("go"));
      krontabs.awaitEntry("job", "its end", entry -> Integer.valueOf(0).equals(entry.exitCode()));
    }
  }

  /** Its state is lost, but not the directory of the run that the period had. */
  @Test
  void aPeriodThatRanBeforeTheClockWasSetBackDoesNotRunAgainWhereItsJobsStateIsMissing()
      throws Exception {
    try (var krontabs = krontabs("").start()) {
      Files.createFile(file("go"));
      krontabs.passUntil("2026-05-04T12:00:01Z");
      krontabs.awaitEntries("job", 1);
      krontabs.stop();
      Files.delete(krontabs.stateFile("job"));
      krontabs.clocks.set("2026-05-04T11:58:00Z");
      krontabs.start().passUntil("2026-05-04T12:00:02Z");
      krontabs.setClock("2026-05-04T12:59:59Z").passUntil("2026-05-04T13:00:01Z");
      krontabs.await("the next period", () -> ran().contains("2026-05-04T13:00:00Z"));
      assertEquals(List.of("2026-05-04T12:00:00Z", "2026-05-04T13:00:00Z"), ran());
    }
  }

  @Test
  void aDaemonWhoseDirectoryIsNotAtItsPathStartsNothing() throws Exception {
    try (var krontabs = new TestDaemon(directory, "2026-05-04T11:59:50Z").withApi()) {
      krontabs
          .write("* * * * * name=job shell=true command=\"echo ran >>%s\"".formatted(file("ran")))
          .service("later", "[service]", "exec = \"sleep 1000\"", "autostart = false")
          .start();
      Path state = krontabs.statePath();
      Path aside = state.resolveSibling("aside");
      Files.move(state, aside);
      Files.createDirectory(
          state,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      krontabs.await("it is noticed", () -> krontabs.log().contains("event=persistence_failed"));
      assertTrue(krontabs.log().contains("removed, renamed or replaced"), krontabs.log());
      assertTrue(
          krontabs.caller().get("/v1/status").body().contains("removed, renamed or replaced"));
      krontabs.passUntil("2026-05-04T12:05:00Z");
      assertInstanceOf(
          Answer.Refused.class, krontabs.ask(new ServiceRequest.Start(List.of("later"))));
      assertEquals(List.of(), ran());
      assertEquals(List.of(), List.of(state.toFile().list()), "nothing is written there");
      Files.delete(state);
      Files.move(aside, state);
      var looks = new AtomicInteger();
      krontabs.await(
          "it goes on",
          () -> {
            // A probe that had begun before fails still, and the next one is a second later.
            if (looks.getAndIncrement() % 40 == 0) {
              krontabs.pass(Duration.ofSeconds(1));
            }
            return krontabs.log().contains("event=persistence_restored");
          });
      krontabs.passUntil("2026-05-04T12:06:01Z");
      krontabs.await("the next period", () -> ran().size() == 1);
    }
  }
}
