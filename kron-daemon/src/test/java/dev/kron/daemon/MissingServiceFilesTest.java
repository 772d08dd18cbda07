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
import dev.kron.service.ServiceState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collections;
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
          case "all" -> supervisor();
          case "record" ->
              supervisor()
                  .resolve("runs")
                  .resolve(String.valueOf(daemon.instance("web", 0).runId()))
                  .resolve("record");
          default -> throw new IllegalArgumentException(what);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "runs", "all"})
  void aServiceIsNotStartedBesideItself(String what) throws Exception {
    daemon.service("web", web());
    try (TestDaemon running = daemon.start()) {
      int pid = begun();
      running.stop();
      remove(what);
      running.start();
      running.awaitState("web", "running");
      if (!what.equals("all")) {
        assertEquals(pid, running.pid("web"));
      }
      assertEquals(List.of("began"), story());
      if (!what.equals("runs")) {
        assertTrue(
            running.log().contains("event=file_missing file=supervisor/state.json"), running.log());
      }
      assertInstanceOf(Answer.Done.class, running.ask(new ServiceRequest.Restart(List.of("web"))));
      running.await("another one", () -> story().equals(List.of("began", "ended", "began")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"before_start", "after_stop", "reload"})
  void nothingRunsBesideAHookWhereAllThatTellsOfItIsLost(String hook) throws Exception {
    Path gate = directory.resolve("gate");
    Path said = directory.resolve("said");
    daemon.service(
        "web",
        web(
            "[hooks]",
            "shell = true",
            hook
                + " = '''echo hook >>%s; until [ -e %s ]; do sleep 0.02; done; echo done >>%s'''"
                    .formatted(said, gate, said)));
    try (TestDaemon running = daemon.start()) {
      if (!hook.equals("before_start")) {
        begun();
        running.ask(
            hook.equals("reload")
                ? new ServiceRequest.Reload("web", null)
                : new ServiceRequest.Restart(List.of("web")));
      }
      running.await("the hook", () -> Files.exists(said));
      running.stop();
      remove("all");
      running.start();
      running.await("it is found", () -> running.log().contains("event=rebuilt_from_runs"));
      running.pass(Duration.ofSeconds(5));
      assertEquals(List.of("hook"), Files.readAllLines(said));
      assertEquals(hook.equals("before_start") ? 0 : 1, Collections.frequency(story(), "began"));
      Files.createFile(gate);
      // Nobody knows how before_start ended: that is a failed start, and there is another one.
      int processes = hook.equals("after_stop") ? 2 : 1;
      running.await(
          "its process, and the end of the hook",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return Collections.frequency(story(), "began") == processes
                && Files.readAllLines(said).contains("done");
          });
      List<String> once = List.of("hook", "done");
      List<String> hooks = Files.readAllLines(said);
      assertEquals(once, hooks.subList(0, 2));
      assertEquals(hook.equals("before_start") ? 4 : 2, hooks.size());
    }
  }

  @Test
  void aCheckIsNotTakenForTheProcessWhereAllThatTellsOfBothIsLost() throws Exception {
    Path gate = directory.resolve("gate");
    Path asked = directory.resolve("asked");
    daemon.service(
        "web",
        web(
            "[health]",
            "exec = \"sh -c 'echo $KRON_HOOK >>%s; until [ -e %s ]; do sleep 0.02; done'\""
                .formatted(asked, gate),
            "timeout_ms = 600000"));
    try (TestDaemon running = daemon.start()) {
      running.await("it is asked", () -> Files.exists(asked) && story().size() == 1);
      running.stop();
      remove("all");
      running.start();
      running.await("its process is found", () -> running.log().contains("event=adopted"));
      Files.createFile(gate);
      running.await(
          "it is well",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return running.state("web").equals("running");
          });
      assertEquals("check", Files.readAllLines(asked).getFirst());
      assertEquals(List.of("began"), story());
    }
  }

  @Test
  void oneLossAfterAnotherStartsNoServiceBesideItself() throws Exception {
    daemon.service("web", web());
    try (TestDaemon running = daemon.start()) {
      begun();
      running.stop();
      remove("runs");
      running.start();
      running.await("it goes on", () -> running.log().contains("event=adopted"));
      running.stop();
      remove("state");
      running.start();
      running.await("it goes on", () -> running.log().split("event=adopted").length == 3);
      assertEquals(List.of("began"), story());
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.await("another one", () -> story().equals(List.of("began", "ended", "began")));
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
    try (TestDaemon running = daemon.start()) {
      ProcessHandle keeper = ProcessHandle.of(begun()).orElseThrow();
      long survivor = Long.parseLong(Files.readString(left).strip());
      if (!enclosed) {
        leaveControlGroup(survivor);
      }
      running.stop();
      remove("runs");
      List<ProcessHandle> others =
          keeper.descendants().filter(process -> process.pid() != survivor).toList();
      keeper.destroyForcibly();
      others.forEach(ProcessHandle::destroyForcibly);
      running.start();
      running.await("it goes on", () -> running.log().contains("pid=" + survivor));
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.await(
          "another one",
          () -> {
            running.pass(Duration.ofSeconds(1));
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
    try (TestDaemon running = daemon.start()) {
      begun();
      remove("record");
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.pass(Duration.ofSeconds(2));
      running.await("another one", () -> story().equals(List.of("began", "ended", "began")));
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
    try (TestDaemon running = daemon.start()) {
      begun();
      running.awaitState("bound", "running");
      int unbound = running.pid("bound");
      assertInstanceOf(
          Answer.Done.class, running.ask(new ServiceRequest.BindCredentials("bound", "other")));
      running.await(
          "a process with the credentials",
          () ->
              running.instance("bound", 0).state() instanceof ServiceState.Running now
                  && !Integer.valueOf(unbound).equals(now.pid()));
      running.ask(new ServiceRequest.Stop(List.of("web")));
      running.await("it is down", () -> story().equals(List.of("began", "ended")));
      running.awaitState("web", "exited");
      running.stop();
      Path state = supervisor().resolve("state.json");
      if (missing) {
        Files.delete(state);
      } else {
        Files.writeString(state, "{");
      }
      running.start();
      running.awaitState("bound", "running");
      assertFalse(running.supervised().isWanted("web"));
      running.awaitState("web", "exited");
      assertEquals(0, running.instance("web", 0).restartCount());
      assertEquals(List.of("began", "ended"), story());
      assertEquals("other", running.binding("bound"));
    }
  }

  @Test
  void aServiceWhoseFileChangedWhileTheDaemonWasDownIsAdoptedAndSaid() throws Exception {
    daemon.service("web", web()).withApi();
    try (TestDaemon running = daemon.start()) {
      int pid = begun();
      running.stop();
      running.service("web", web("[service.env]", "A = \"1\""));
      running.start();
      running.awaitState("web", "running");
      assertEquals(pid, running.pid("web"));
      running.await("it is said", () -> running.log().contains("event=outdated instance=web@0"));
      assertTrue(isOutdated());
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.await("another one", () -> story().size() == 3);
      running.awaitState("web", "running");
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
    try (TestDaemon running = daemon.start()) {
      int web = begun();
      running.pass(Duration.ofSeconds(5));
      running.service("late", "[service]", "exec = \"sleep 1000\"");
      running.ask(new Request.Reload(false));
      running.awaitState("late", "running");
      int late = running.pid("late");
      running.service(
          "late", "[service]", "exec = \"sleep 1000\"", "[dependencies]", "conflicts = [\"web\"]");
      var plan = assertInstanceOf(Answer.Plan.class, running.ask(new Request.Reload(false)));
      assertTrue(plan.text().contains("stop late, which conflicts with web"), plan.text());
      running.awaitState("late", "blocked");
      running.await("its process is gone", () -> !TestProcesses.lives(late));
      assertEquals(web, running.pid("web"));
      running.ask(new ServiceRequest.Stop(List.of("web")));
      running.awaitState("late", "running");
    }
  }
}
