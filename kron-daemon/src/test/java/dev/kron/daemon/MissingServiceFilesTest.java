package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.json.Json;
import dev.kron.process.SystemUsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of services that are missing or damaged, and what a new daemon finds changed. */
final class MissingServiceFilesTest {
  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void makeOne() throws IOException {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
  }

  private Path supervisor() {
    return daemon.statePath().resolve("supervisor");
  }

  /** A service that says when it begins and when it is asked to end. */
  private String[] web(String... more) {
    return Stream.concat(
            Stream.of(
                "[service]",
                "shell = true",
                "exec = '''echo began >>%s; trap 'echo ended >>%s; exit 0' TERM; while :; do sleep 0.02; done'''"
                    .formatted(directory.resolve("story"), directory.resolve("story"))),
            Stream.of(more))
        .toArray(String[]::new);
  }

  private List<String> story() throws IOException {
    Path file = directory.resolve("story");
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private int begun() throws Exception {
    daemon.awaitState("web", "running");
    daemon.await("it is at work", () -> story().size() == 1);
    return daemon.pid("web");
  }

  private void remove(String what) throws IOException {
    MissingFilesTest.remove(
        switch (what) {
          case "state" -> supervisor().resolve("state.json");
          case "runs" -> supervisor().resolve("runs");
          case "record" ->
              supervisor()
                  .resolve("runs")
                  .resolve(String.valueOf(daemon.instance("web", 0).runId()))
                  .resolve("record");
          default -> throw new IllegalArgumentException(what);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "runs"})
  void aServiceIsNotStartedBesideItself(String what) throws Exception {
    daemon.service("web", web());
    try (TestDaemon krontabs = daemon.start()) {
      int pid = begun();
      krontabs.stop();
      remove(what);
      krontabs.start();
      krontabs.awaitState("web", "running");
      assertEquals(pid, krontabs.pid("web"));
      assertEquals(List.of("began"), story());
      if (what.equals("state")) {
        assertTrue(
            krontabs.log().contains("event=file_missing file=supervisor/state.json"),
            krontabs.log());
      }
      assertInstanceOf(Answer.Done.class, krontabs.ask(new ServiceRequest.Restart(List.of("web"))));
      krontabs.await("another one", () -> story().equals(List.of("began", "ended", "began")));
    }
  }

  @Test
  void oneLossAfterAnotherStartsNoServiceBesideItself() throws Exception {
    daemon.service("web", web());
    try (TestDaemon krontabs = daemon.start()) {
      begun();
      krontabs.stop();
      remove("runs");
      krontabs.start();
      krontabs.await("it goes on", () -> krontabs.log().contains("event=adopted"));
      krontabs.stop();
      remove("state");
      krontabs.start();
      krontabs.await("it goes on", () -> krontabs.log().split("event=adopted").length == 3);
      assertEquals(List.of("began"), story());
      krontabs.ask(new ServiceRequest.Restart(List.of("web")));
      krontabs.await("another one", () -> story().equals(List.of("began", "ended", "began")));
    }
  }

  /** Neither the note of its user nor the list of control groups is left. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAServiceOfAnotherUserLeftBehindIsFoundWithoutTheDirectories(boolean enclosed)
      throws Exception {
    assumeTrue(new SystemUsers().mayBecomeOthers(), "only root may run it as nobody");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (String name : List.of("story", "left")) {
      Path file = Files.createFile(directory.resolve(name));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    }
    Path left = directory.resolve("left");
    daemon.service(
        "web",
        "[service]",
        "shell = true",
        "user = \"nobody\"",
        "exec = '''if grep -q State:.[RS] /proc/$(cat %s)/status; then echo beside >>%s; fi; setsid sleep 1000 & echo $! >%s; echo began >>%s; while :; do sleep 0.02; done'''"
            .formatted(left, directory.resolve("story"), left, directory.resolve("story")));
    try (TestDaemon krontabs = daemon.start()) {
      ProcessHandle keeper = ProcessHandle.of(begun()).orElseThrow();
      long survivor = Long.parseLong(Files.readString(left).strip());
      if (!enclosed) {
        leaveControlGroup(survivor);
      }
      krontabs.stop();
      remove("runs");
      List<ProcessHandle> others =
          keeper.descendants().filter(process -> process.pid() != survivor).toList();
      keeper.destroyForcibly();
      others.forEach(ProcessHandle::destroyForcibly);
      krontabs.start();
      krontabs.await("it goes on", () -> krontabs.log().contains("pid=" + survivor));
      krontabs.ask(new ServiceRequest.Restart(List.of("web")));
      krontabs.await(
          "another one",
          () -> {
            krontabs.pass(Duration.ofSeconds(1));
            return story().size() > 1;
          });
      assertEquals(List.of("began", "began"), story(), "and none beside it");
    }
  }

  private static void leaveControlGroup(long pid) throws IOException {
    for (String mount : List.of("/sys/fs/cgroup", "/sys/fs/cgroup/unified")) {
      Path processes = Path.of(mount, "cgroup.procs");
      if (Files.exists(processes)) {
        Files.writeString(processes, Long.toString(pid));
      }
    }
  }

  @Test
  void aServiceWithoutARecordIsStoppedInOrderAndStartedOnce() throws Exception {
    daemon.service("web", web());
    try (TestDaemon krontabs = daemon.start()) {
      begun();
      remove("record");
      krontabs.ask(new ServiceRequest.Restart(List.of("web")));
      krontabs.pass(Duration.ofSeconds(2));
      krontabs.await("another one", () -> story().equals(List.of("began", "ended", "began")));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAnOperatorWantsOutlivesTheSupervisorsFile(boolean missing) throws Exception {
    Path credentials = Files.createDirectories(daemon.config().resolve("credentials"));
    Path profile = credentials.resolve("other.env");
    Files.writeString(profile, "A=1\n");
    Files.setPosixFilePermissions(profile, PosixFilePermissions.fromString("rw-------"));
    daemon.service("web", web()).service("bound", "[service]", "exec = \"sleep 1000\"");
    try (TestDaemon krontabs = daemon.start()) {
      begun();
      krontabs.awaitState("bound", "running");
      assertInstanceOf(
          Answer.Done.class, krontabs.ask(new ServiceRequest.BindCredentials("bound", "other")));
      krontabs.ask(new ServiceRequest.Stop(List.of("web")));
      krontabs.await("it is down", () -> story().equals(List.of("began", "ended")));
      krontabs.awaitState("web", "exited");
      krontabs.stop();
      Path state = supervisor().resolve("state.json");
      if (missing) {
        Files.delete(state);
      } else {
        Files.writeString(state, "{");
      }
      krontabs.start();
      krontabs.awaitState("bound", "running");
      assertFalse(krontabs.supervised().isWanted("web"));
      krontabs.awaitState("web", "exited");
      assertEquals(0, krontabs.instance("web", 0).restartCount());
      assertEquals(List.of("began", "ended"), story());
      assertEquals("other", krontabs.binding("bound"));
    }
  }

  @Test
  void aServiceWhoseFileChangedWhileTheDaemonWasDownIsAdoptedAndSaid() throws Exception {
    daemon.service("web", web()).withApi();
    try (TestDaemon krontabs = daemon.start()) {
      int pid = begun();
      krontabs.stop();
      krontabs.service("web", web("[service.env]", "A = \"1\""));
      krontabs.start();
      krontabs.awaitState("web", "running");
      assertEquals(pid, krontabs.pid("web"));
      krontabs.await("it is said", () -> krontabs.log().contains("event=outdated instance=web@0"));
      assertTrue(isOutdated());
      krontabs.ask(new ServiceRequest.Restart(List.of("web")));
      krontabs.await("another one", () -> story().size() == 3);
      krontabs.awaitState("web", "running");
      assertFalse(isOutdated());
    }
  }

  private boolean isOutdated() throws IOException {
    Json web = daemon.caller().get("/v1/services").tree().list("services").getFirst();
    return web.list("instances").getFirst().is("outdated");
  }

  @Test
  void aConflictThatAReloadBringsEndsWhoWasStartedLater() throws Exception {
    daemon.service("web", web());
    try (TestDaemon krontabs = daemon.start()) {
      int web = begun();
      krontabs.pass(Duration.ofSeconds(5));
      krontabs.service("late", "[service]", "exec = \"sleep 1000\"");
      krontabs.ask(new Request.Reload(false));
      krontabs.awaitState("late", "running");
      int late = krontabs.pid("late");
      krontabs.service(
          "late", "[service]", "exec = \"sleep 1000\"", "[dependencies]", "conflicts = [\"web\"]");
      var plan = assertInstanceOf(Answer.Plan.class, krontabs.ask(new Request.Reload(false)));
      assertTrue(plan.text().contains("stop late, which conflicts with web"), plan.text());
      krontabs.awaitState("late", "blocked");
      krontabs.await("its process is gone", () -> !TestProcesses.lives(late));
      assertEquals(web, krontabs.pid("web"));
      krontabs.ask(new ServiceRequest.Stop(List.of("web")));
      krontabs.awaitState("late", "running");
    }
  }
}
