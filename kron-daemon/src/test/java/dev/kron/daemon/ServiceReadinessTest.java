package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services that report that they are ready: with real processes. */
class ServiceReadinessTest {
  @TempDir Path directory;
  private TestDaemon daemon;
  private Path go;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
    go = directory.resolve("go");
  }

  /** It says something when it may. */
  private void web(TestDaemon daemon, String ready, String says) throws Exception {
    daemon.service(
        "web",
        "[service]",
        "shell = true",
        "exec = \"until [ -e " + go + " ]; do sleep 0.01; done; " + says + "; exec sleep 1000\"",
        "[lifecycle]",
        "ready = \"" + ready + "\"",
        "restart = \"never\"",
        "start_timeout_ms = 30000");
  }

  private TestDaemon again() throws Exception {
    return new TestDaemon(directory, "2026-03-01T11:00:00Z");
  }

  private static void awaitProcess(TestDaemon running) {
    running.await("a process", () -> running.instance("web", 0).state().pid() != null);
  }

  @Test
  void aLineOnItsDescriptorMakesItReady() throws Exception {
    web(daemon, "fd:3", "echo up >&3");
    daemon.service(
        "front", "[service]", "exec = \"sleep 1000\"", "[dependencies]", "requires = [\"web\"]");
    try (TestDaemon running = daemon.start()) {
      awaitProcess(running);
      assertEquals("starting", running.state("web"));
      assertEquals("blocked", running.state("front"));
      Files.createFile(go);
      running.awaitState("web", "running");
      running.awaitState("front", "running");
    }
  }

  @Test
  void oneOfItsProcessesTellsTheSocketThatItIsReady() throws Exception {
    daemon.service(
        "web",
        "[service]",
        "exec = \"" + ReportReady.command() + "\"",
        "[lifecycle]",
        "ready = \"notify\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      assertFalse(running.log().contains("ready_refused"), running.log());
    }
  }

  @Test
  void oneThatNeverReportsFails() throws Exception {
    web(daemon, "notify", ":");
    try (TestDaemon running = daemon.start()) {
      awaitProcess(running);
      running.pass(Duration.ofSeconds(29));
      assertEquals("starting", running.state("web"));
      running.pass(Duration.ofSeconds(2));
      running.awaitState("web", "failed");
      assertTrue(running.log().contains("not ready within its start timeout"), running.log());
    }
  }

  @Test
  void aReportWhileNoDaemonIsThereIsHeardByTheNext() throws Exception {
    Path said = directory.resolve("said");
    web(daemon, "fd:7", "echo >&7; echo more >&7; echo >" + said);
    int pid;
    try (TestDaemon running = daemon.start()) {
      awaitProcess(running);
      pid = running.pid("web");
      running.stop();
    }
    Files.createFile(go);
    try (TestDaemon running = again()) {
      running.await("it to write", () -> Files.exists(said));
      running.start().awaitState("web", "running");
      assertEquals(pid, running.pid("web"));
      assertFalse(running.log().contains("event=failed"), running.log());
    }
  }

  @Test
  void oneWhoseReportMayHaveBeenMissedIsRunningWhenItsTimeIsOver() throws Exception {
    web(daemon, "notify", ":");
    int pid;
    try (TestDaemon running = daemon.start()) {
      awaitProcess(running);
      pid = running.pid("web");
      running.stop();
    }
    try (TestDaemon running = again().start()) {
      running.await("it to be found", () -> running.log().contains("event=adopted"));
      running.await("it to be starting", () -> running.state("web").equals("starting"));
      running.pass(Duration.ofSeconds(31));
      running.awaitState("web", "running");
      assertEquals(pid, running.pid("web"));
    }
  }

  private long runs() throws IOException {
    try (var files = Files.list(directory.resolve("state/supervisor/runs"))) {
      return files.filter(Files::isDirectory).count();
    }
  }

  @Test
  void whoIsToReportByOtherMeansIsRestarted() throws Exception {
    web(daemon, "fd:3", "echo >&3");
    Files.createFile(go);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      int before = running.pid("web");
      web(daemon, "fd:4", "echo >&4");
      running.ask(new Request.Reload(false));
      running.await(
          "another process",
          () ->
              running.state("web").equals("running")
                  && running.instance("web", 0).state().pid() != null
                  && running.pid("web") != before);
      running.await("the pipe of the old one to be gone", () -> runs() == 1);
    }
  }
}
