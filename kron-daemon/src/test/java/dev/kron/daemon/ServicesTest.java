package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.process.SystemUsers;
import dev.kron.service.FailureReason;
import dev.kron.service.ServiceState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services with real processes, on a clock that the test moves. */
class ServicesTest {
  private static final String SLEEP = "exec = \"sleep 1000\"";

  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  @Test
  void startsInOrderAndStopsInReverse() throws Exception {
    Path order = file("order");
    for (String name : List.of("db", "web", "front")) {
      String requires = name.equals("web") ? "db" : name.equals("front") ? "web" : "";
      daemon.service(
          name,
          "[service]",
          "shell = true",
          "exec = \"\"\"trap 'echo stop %s >>%s; exit 0' TERM; echo start %s >>%s; sleep 1000 & wait\"\"\""
              .formatted(name, order, name, order),
          requires.isEmpty() ? "" : "[dependencies]\nrequires = [\"" + requires + "\"]",
          "[lifecycle]",
          "start_timeout_ms = 100000000",
          "[health]",
          "exec = \"grep -q start.%s %s\"".formatted(name, order));
    }
    try (TestDaemon running = daemon.start()) {
      running.await(
          "all to run",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return running.state("front").equals("running");
          });
      assertEquals(List.of("start db", "start web", "start front"), Files.readAllLines(order));
      running.stop(Request.Stop.END_JOBS);
    }
    assertEquals(
        List.of("start db", "start web", "start front", "stop front", "stop web", "stop db"),
        Files.readAllLines(order));
  }

  @Test
  void aCrashLoopGivesUpFailsDependentsByNameAndAStartBeginsAfresh() throws Exception {
    Path good = file("good");
    daemon
        .service(
            "db",
            "[service]",
            "type = \"oneshot\"",
            "shell = true",
            "exec = \"test -e " + good + "\"")
        .service("web", "[service]", SLEEP, "[dependencies]", "requires = [\"db\"]")
        .service("all", "[service]", "type = \"target\"", "[dependencies]", "requires = [\"web\"]");
    try (TestDaemon running = daemon.start()) {
      for (int crash = 1; crash <= 10; crash++) {
        int count = crash;
        running.await(
            "crash " + crash,
            () ->
                running.instance("db", 0).restartCount() == count
                    && running.instance("db", 0).inBackoff());
        assertEquals("blocked", running.state("web"));
        long wait = Math.min(1L << (crash - 1), 300);
        running.await("it to be said", () -> running.log().contains("millis=" + wait * 1000));
        running.pass(Duration.ofSeconds(wait));
      }
      running.awaitState("web", "failed").awaitState("all", "failed");
      running.await("it to be said", () -> running.log().contains("gave_up"));
      for (String name : List.of("web", "all")) {
        var failed = assertInstanceOf(ServiceState.Failed.class, running.supervised().state(name));
        assertEquals(new FailureReason.DependencyFailed("db"), failed.reason());
      }
      Files.createFile(good);
      running.ask(new ServiceRequest.Start(List.of("db")));
      running.awaitState("all", "running");
      assertEquals(0, running.instance("db", 0).restartCount());
    }
  }

  @Test
  void goesOnWithItsProcessesAfterARestartAndTreatsThoseThatEndedByTheirExitCode()
      throws Exception {
    Path end = file("end");
    daemon
        .service("stays", "[service]", SLEEP)
        .service(
            "ends",
            "[service]",
            "shell = true",
            "exec = \"while ! test -e " + end + "; do sleep 0.05; done; exit 7\"",
            "[lifecycle]",
            "restart = \"never\"");
    int pid;
    String run;
    try (TestDaemon running = daemon.start()) {
      running.awaitState("stays", "running").awaitState("ends", "running");
      pid = running.pid("stays");
      run = running.instance("stays", 0).runId();
      running.stop();
      Files.createFile(end);
      running.start();
      running.awaitState("ends", "failed");
      var failed = assertInstanceOf(ServiceState.Failed.class, running.supervised().state("ends"));
      assertEquals(new FailureReason.ExitCode(7), failed.reason());
      running.await("stays to be adopted", () -> running.log().contains("adopted"));
      assertEquals(pid, running.pid("stays"));
      assertEquals(run, running.instance("stays", 0).runId());
    }
    TestProcesses.awaitGone(pid);
  }

  @Test
  void leavesWithTheExitCodeOfTheServiceItIsThereFor() throws Exception {
    Path stopped = file("stopped");
    daemon
        .exitWith("main")
        .service(
            "main",
            "[service]",
            "shell = true",
            "exec = \"exit 3\"",
            "[lifecycle]",
            "restart = \"never\"",
            "[dependencies]",
            "requires = [\"side\"]")
        .service(
            "side",
            "[service]",
            "shell = true",
            "exec = \"\"\"trap 'echo yes >%s; exit 0' TERM; sleep 1000 & wait\"\"\""
                .formatted(stopped));
    daemon.start();
    assertEquals(3, daemon.awaitEnd());
    assertTrue(Files.exists(stopped));
  }

  @Test
  void stopsAndStartsOnRequestAndRemembersTheWish() throws Exception {
    daemon
        .service("db", "[service]", SLEEP)
        .service("web", "[service]", SLEEP, "[dependencies]", "requires = [\"db\"]");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      int pid = running.pid("db");
      assertEquals(
          new Answer.Done("stopping web, db", null),
          running.ask(new ServiceRequest.Stop(List.of("db"))));
      running.awaitState("db", "exited").awaitState("web", "exited");
      TestProcesses.awaitGone(pid);
      running.stop();
      running.start();
      assertEquals("exited", running.state("db"));
      assertInstanceOf(Answer.Refused.class, running.ask(new ServiceRequest.Start(List.of("dbb"))));
      running.ask(new ServiceRequest.Start(List.of("web")));
      running.awaitState("web", "running");
      int before = running.pid("web");
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.await(
          "a new process",
          () -> running.state("web").equals("running") && running.pid("web") != before);
    }
  }

  @Test
  void otherUsersProcessesWithTheIdOfItsRunNeitherHoldUpARestartNorAreEndedByIt() throws Exception {
    assumeTrue(new SystemUsers().mayBecomeOthers(), "needs root");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path id = file("id");
    daemon
        .service("web", "[service]", SLEEP)
        .service(
            "strangers",
            "[service]",
            "user = \"65534\"",
            "shell = true",
            """
            exec = "while ! test -s %1$s; do sleep 0.02; done; export KRON_RUN_ID=$(cat %1$s); \
            for i in 1 2 3; do setsid sleep 1000 & done; wait\"\
            """
                .formatted(id));
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running").awaitState("strangers", "running");
      int before = running.pid("web");
      Path written = Files.writeString(file("id.new"), running.instance("web", 0).runId());
      Files.move(written, id);
      List<ProcessHandle> strangers = new ArrayList<>();
      running.await(
          "the strangers",
          () -> {
            strangers.clear();
            ProcessHandle.of(running.pid("strangers"))
                .orElseThrow()
                .descendants()
                .filter(each -> each.info().commandLine().orElse("").endsWith("sleep 1000"))
                .forEach(strangers::add);
            return strangers.size() == 3;
          });
      running.stop();
      running.start(); // of what it did not launch itself it looks at all processes
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.await(
          "a new process",
          () -> running.state("web").equals("running") && running.pid("web") != before);
      assertFalse(running.log().contains("survivors_"), running.log());
      assertTrue(strangers.stream().allMatch(ProcessHandle::isAlive));
    }
  }
}
