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
import java.time.Instant;
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

  private TestDaemon daemon(String options) throws IOException {
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

  private ActiveRun running(TestDaemon daemon) {
    daemon.passUntil("2026-05-04T12:00:01Z");
    daemon.await(
        "it runs",
        () ->
            ran().size() == 1
                && daemon.job("job").active().stream()
                    .anyMatch(run -> run.phase() == ActiveRun.Phase.STARTED));
    return daemon.job("job").active().getFirst();
  }

  static void remove(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private static void remove(TestDaemon daemon, String what, ActiveRun run) throws IOException {
    Path runs = daemon.statePath().resolve("runs");
    remove(
        switch (what) {
          case "record" -> runs.resolve(run.runId()).resolve("record");
          case "directory" -> runs.resolve(run.runId());
          case "runs" -> runs;
          default -> throw new IllegalArgumentException(what);
        });
  }

  private void assertRanOnce(TestDaemon daemon) throws IOException {
    HistoryEntry entry = daemon.awaitEntries("job", 1);
    assertEquals(Outcome.EXECUTED, entry.outcome());
    assertNull(entry.exitCode());
    daemon.pass(Duration.ofMinutes(2));
    assertEquals(List.of("2026-05-04T12:00:00Z"), ran());
    daemon.passUntil("2026-05-04T13:00:01Z");
    daemon.await("the next period", () -> ran().size() == 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"record", "directory", "runs"})
  void aDaemonThatSawARunBeginNeverStartsItAgain(String what) throws Exception {
    try (var daemon = daemon("").start()) {
      remove(daemon, what, running(daemon));
      Files.createFile(file("go"));
      assertRanOnce(daemon);
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
    try (var daemon = daemon("").start()) {
      ActiveRun run = running(daemon);
      daemon.stop();
      if (ended) {
        Files.createFile(file("go"));
        daemon.await("its keeper is gone", () -> !TestProcesses.lives(run.pid()));
      }
      remove(daemon, what, run);
      daemon.start();
      if (!ended) {
        daemon.passUntil("2026-05-04T12:05:00Z");
        assertEquals(List.of(run.runId()), runIds(daemon), "it goes on");
        Files.createFile(file("go"));
      }
      assertRanOnce(daemon);
    }
  }

  private static List<String> runIds(TestDaemon daemon) {
    return daemon.job("job").active().stream().map(ActiveRun::runId).toList();
  }

  @ParameterizedTest
  @CsvSource({"record, true", "record, false", "directory, true", "directory, false"})
  void aRunWithoutARecordIsHeldToItsTimeout(String what, boolean daemonThere) throws Exception {
    try (var daemon = daemon("timeout=10m").start()) {
      ActiveRun run = running(daemon);
      if (!daemonThere) {
        daemon.stop();
      }
      remove(daemon, what, run);
      if (!daemonThere) {
        daemon.start();
      }
      daemon.passUntil("2026-05-04T12:10:02Z");
      HistoryEntry entry = daemon.awaitEntries("job", 1);
      assertTrue(String.valueOf(entry.reason()).startsWith("timed out"), entry.reason());
      assertEquals(1, ran().size());
    }
  }

  @Test
  void anIntentWhoseDirectoryIsMissingMayHaveBegun() throws Exception {
    try (var daemon = daemon("").start()) {
      ActiveRun run = running(daemon);
      daemon.stop();
      Files.createFile(file("go"));
      daemon.await("its keeper is gone", () -> !TestProcesses.lives(run.pid()));
      Path state = daemon.stateFile("job");
      String text = Files.readString(state);
      Files.writeString(
          state,
          text.replaceAll("\"PID\":\\d+", "\"PID\":0")
              .replaceAll("\"StartTicks\":\\d+", "\"StartTicks\":0")
              .replace("\"started\"", "\"intended\""));
      remove(daemon, "directory", run);
      daemon.start();
      assertRanOnce(daemon);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"its state", "arrivals", "both"})
  void aJobWhoseStateIsMissingHasLostItsPast(String what) throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:58Z").withApi()) {
      daemon
          .write(
              ("0 * * * * @win(after,10m) @policy(deadline=1h,concurrency=allow) name=job"
                      + " shell=true command=\"echo $KRON_PERIOD >>%s\"")
                  .formatted(file("ran")))
          .start()
          .passUntil("2026-05-04T12:10:01Z");
      daemon.awaitEntries("job", 1);
      daemon.stop();
      Path state = daemon.stateFile("job");
      if (!what.equals("arrivals")) {
        Files.delete(state);
      }
      if (!what.equals("its state")) {
        Files.delete(daemon.statePath().resolve("arrivals"));
      }
      daemon.start();
      daemon.pass(Duration.ofMinutes(5));
      assertEquals(List.of("2026-05-04T12:00:00Z"), ran(), "its deadline would allow it");
      assertTrue(daemon.log().contains("event=file_missing file="), daemon.log());
      assertTrue(daemon.caller().get("/v1/status").body().contains("files are missing"));
      daemon.passUntil("2026-05-04T13:10:01Z");
      daemon.await("the next period", () -> ran().size() == 2);
    }
  }

  @Test
  void aRunThatGoesOnIsFoundWhereItsJobsStateIsMissing() throws Exception {
    try (var daemon = daemon("").start()) {
      running(daemon);
      daemon.stop();
      Files.delete(daemon.stateFile("job"));
      daemon.start();
      daemon.passUntil("2026-05-04T13:00:01Z");
      daemon.await(
          "the next one is skipped",
          () ->
              daemon.history("job").stream().anyMatch(entry -> entry.outcome() == Outcome.SKIPPED));
      assertEquals(1, ran().size());
      Files.createFile(file("go"));
      daemon.awaitEntry("job", "its end", entry -> Integer.valueOf(0).equals(entry.exitCode()));
    }
  }

  /** After the first loss nothing tells of the run but its job's state, then its keeper alone. */
  @Test
  void oneLossAfterAnotherStartsNothingBesideARunThatGoesOn() throws Exception {
    try (var daemon = daemon("").start()) {
      running(daemon);
      daemon.stop();
      remove(daemon.statePath().resolve("runs"));
      daemon.start().pass(Duration.ofSeconds(2));
      daemon.stop();
      Files.delete(daemon.stateFile("job"));
      daemon.start();
      daemon.passUntil("2026-05-04T13:00:01Z");
      daemon.await(
          "the next one is skipped",
          () ->
              daemon.history("job").stream().anyMatch(entry -> entry.outcome() == Outcome.SKIPPED));
      assertEquals(1, ran().size());
      Files.createFile(file("go"));
      HistoryEntry end =
          daemon.awaitEntry("job", "its end", entry -> entry.outcome() == Outcome.EXECUTED);
      assertNull(end.exitCode());
      assertEquals(Instant.parse("2026-05-04T12:00:00Z").getEpochSecond(), end.nominal());
    }
  }

  /** A process of the daemon's own user that looks like a keeper can claim anything. */
  @ParameterizedTest
  @CsvSource({
    "01m7g4h9k0nh6dsnyywqgywgjy, KRON_PERIOD, never",
    "01m7g4h9k0nh6dsnyywqgywgjy, KRON_PERIOD, +99999-01-01T00:00:00Z",
    "01m7g4h9k0nh6dsnyywqgywgjy, KRON_CHOSEN, -",
    "01m7g4h9k0nh6dsnyywqgywgjy, KRON_ATTEMPT, -99999999999",
    "01m7g4h9k0nh6dsnyywqgywgjy, KRON_CAUSE, ../../other",
    "not a run, KRON_ATTEMPT, 1",
  })
  void nonsenseOfWhatLooksLikeAKeeperHindersNothing(String runId, String variable, String value)
      throws Exception {
    Files.createFile(file("go"));
    try (var daemon = daemon("").start()) {
      daemon.passUntil("2026-05-04T12:00:01Z");
      daemon.awaitEntries("job", 1);
      String identity = daemon.job("job").identity();
      daemon.stop();
      Files.delete(daemon.stateFile("job"));
      Path claimed = daemon.statePath().resolve("runs").resolve(runId);
      var disguise =
          new ProcessBuilder(
              "setsid", "sh", "-c", "echo; read -r _", "krond-keeper", claimed.toString());
      disguise.environment().put("kron_keeper_1", "KRON_IDENTITY=" + identity);
      disguise.environment().put("kron_keeper_2", "KRON_RUN_ID=" + runId);
      disguise.environment().put("kron_keeper_3", variable + "=" + value);
      Process stranger = disguise.start();
      try {
        stranger.getInputStream().read();
        daemon.start();
        daemon.pass(Duration.ofSeconds(1));
        daemon.stop();
        daemon.start(); // what it wrote can be read
        stranger.destroyForcibly().waitFor();
        // Where it was believed, a period may come before its end is seen, and is skipped.
        daemon.await(
            "a later period",
            () -> {
              daemon.pass(Duration.ofHours(1));
              return ran().size() > 1;
            });
      } finally {
        stranger.destroyForcibly().waitFor();
      }
    }
  }

  /** Its state is lost, but not the directory of the run that the period had. */
  @Test
  void aPeriodThatRanBeforeTheClockWasSetBackDoesNotRunAgainWhereItsJobsStateIsMissing()
      throws Exception {
    try (var daemon = daemon("").start()) {
      Files.createFile(file("go"));
      daemon.passUntil("2026-05-04T12:00:01Z");
      daemon.awaitEntries("job", 1);
      daemon.stop();
      Files.delete(daemon.stateFile("job"));
      daemon.clocks.set("2026-05-04T11:58:00Z");
      daemon.start().passUntil("2026-05-04T12:00:02Z");
      daemon.setClock("2026-05-04T12:59:59Z").passUntil("2026-05-04T13:00:01Z");
      daemon.await("the next period", () -> ran().contains("2026-05-04T13:00:00Z"));
      assertEquals(List.of("2026-05-04T12:00:00Z", "2026-05-04T13:00:00Z"), ran());
    }
  }

  @Test
  void aDaemonWhoseDirectoryIsNotAtItsPathStartsNothing() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-05-04T11:59:50Z").withApi()) {
      daemon
          .write("* * * * * name=job shell=true command=\"echo ran >>%s\"".formatted(file("ran")))
          .service("later", "[service]", "exec = \"sleep 1000\"", "autostart = false")
          .start();
      Path state = daemon.statePath();
      Path aside = state.resolveSibling("aside");
      Files.move(state, aside);
      Files.createDirectory(
          state,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      daemon.await("it is noticed", () -> daemon.log().contains("event=persistence_failed"));
      assertTrue(daemon.log().contains("removed, renamed or replaced"), daemon.log());
      assertTrue(daemon.caller().get("/v1/status").body().contains("removed, renamed or replaced"));
      daemon.passUntil("2026-05-04T12:05:00Z");
      assertInstanceOf(
          Answer.Refused.class, daemon.ask(new ServiceRequest.Start(List.of("later"))));
      assertEquals(List.of(), ran());
      assertEquals(List.of(), List.of(state.toFile().list()), "nothing is written there");
      Files.delete(state);
      Files.move(aside, state);
      var looks = new AtomicInteger();
      daemon.await(
          "it goes on",
          () -> {
            // A probe that had begun before fails still, and the next one is a second later.
            if (looks.getAndIncrement() % 40 == 0) {
              daemon.pass(Duration.ofSeconds(1));
            }
            return daemon.log().contains("event=persistence_restored");
          });
      daemon.passUntil("2026-05-04T12:06:01Z");
      daemon.await("the next period", () -> ran().size() == 1);
    }
  }
}
