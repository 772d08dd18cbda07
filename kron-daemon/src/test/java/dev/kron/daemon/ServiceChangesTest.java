package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.service.FailureReason;
import dev.kron.service.ServiceState;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What reloads, credentials, checks and disks mean to services that run. */
class ServiceChangesTest {
  private static final String SLEEP = "exec = \"sleep 1000\"";

  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
  }

  private void profile(String name, String text) throws Exception {
    Path credentials = Files.createDirectories(daemon.config().resolve("credentials"));
    Path file = credentials.resolve(name + ".env");
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void aReloadRestartsOnlyWhatWouldDiffer() throws Exception {
    daemon
        .service("same", "[service]", SLEEP)
        .service("tuned", "[service]", SLEEP)
        .service("other", "[service]", "exec = \"sleep 1001\"")
        .service("gone", "[service]", SLEEP)
        .service("more", "[service]", "instances = 1", SLEEP);
    try (TestDaemon running = daemon.start()) {
      for (String name : List.of("same", "tuned", "other", "gone", "more")) {
        running.awaitState(name, "running");
      }
      int same = running.pid("same");
      int tuned = running.pid("tuned");
      int other = running.pid("other");
      int gone = running.pid("gone");
      int more = running.pid("more");
      running
          .service(
              "tuned",
              "[service]",
              SLEEP,
              "[lifecycle]",
              "restart_delay_ms = 5",
              "[health]",
              "exec = \"true\"")
          .service("other", "[service]", "exec = \"sleep 1002\"")
          .service("more", "[service]", "instances = 2", SLEEP)
          .service("new", "[service]", SLEEP)
          .remove("gone");
      var plan =
          assertInstanceOf(
              Answer.Plan.class, running.ask(new Request.Reload(true)), "a dry run first");
      assertEquals(
          "start more@1, new; restart other; take over changes of more, tuned; stop gone",
          String.join("; ", plan.services()));
      assertEquals(other, running.pid("other"), "nothing was done");
      assertEquals(plan, running.ask(new Request.Reload(false)));
      running.awaitState("new", "running").awaitState("more", "running");
      running.await("gone to be forgotten", () -> running.supervised().instances("gone").isEmpty());
      running.await(
          "other to be another",
          () -> running.state("other").equals("running") && running.pid("other") != other);
      TestProcesses.awaitGone(gone);
      assertEquals(same, running.pid("same"));
      assertEquals(tuned, running.pid("tuned"));
      assertEquals(more, running.pid("more"));
      assertEquals(2, running.supervised().instances("more").size());
      running.service("more", "[service]", "instances = 1", SLEEP);
      running.ask(new Request.Reload(false));
      running.await("one to go", () -> running.supervised().instances("more").size() == 1);
      assertEquals(more, running.pid("more"));
    }
  }

  @Test
  void credentialsAreGivenToTheProcessAndNowhereElse() throws Exception {
    Path seen = directory.resolve("seen");
    profile("one", "SECRET_TOKEN=hunter2-one\n");
    profile("two", "SECRET_TOKEN=hunter2-two\n");
    daemon.service(
        "web",
        "[service]",
        "shell = true",
        "exec = \"echo $SECRET_TOKEN >>" + seen + "; exec sleep 1000\"",
        "[credentials]",
        "profile = \"one\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      running.await(
          "it to see", () -> Files.exists(seen) && Files.readString(seen).contains("one"));
      int first = running.pid("web");
      running.ask(new Request.Reload(false));
      assertEquals(first, running.pid("web"), "nothing changed");
      profile("one", "SECRET_TOKEN=hunter2-three\n");
      running.ask(new Request.Reload(false));
      running.await("it to see the change", () -> Files.readString(seen).contains("three"));
      running.ask(new ServiceRequest.BindCredentials("web", "two"));
      running.await("it to see the other", () -> Files.readString(seen).contains("two"));
      running.awaitState("web", "running");
      running.stop();
      running.start();
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.await(
          "the binding to have survived",
          () -> Files.readString(seen).endsWith("two\nhunter2-two\n"));
      assertFalse(running.log().contains("hunter2"), running::log);
    }
    try (Stream<Path> files = Files.walk(daemon.statePath())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertFalse(text.contains("hunter2"), file::toString);
      }
    }
  }

  @Test
  void aReloadSaysWhoseCredentialsCannotBeRead() throws Exception {
    profile("one", "SECRET_TOKEN=hunter2\n");
    daemon.service("web", "[service]", SLEEP, "[credentials]", "profile = \"one\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      int pid = running.pid("web");
      Path file = daemon.config().resolve("credentials/one.env");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      for (boolean dryRun : new boolean[] {true, false}) {
        var plan = assertInstanceOf(Answer.Plan.class, running.ask(new Request.Reload(dryRun)));
        String said = String.join("; ", plan.services());
        assertTrue(
            said.startsWith("no process of web can be started, what runs goes on: " + file), said);
        assertTrue(said.endsWith(": mend that and reload again"), said);
        assertFalse(said.contains("hunter2"), said);
      }
      assertEquals(pid, running.pid("web"));
      running.await("it to be logged", () -> running.log().contains("credentials_unusable"));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      var plan = assertInstanceOf(Answer.Plan.class, running.ask(new Request.Reload(false)));
      assertEquals(List.of(), plan.services());
      assertEquals(pid, running.pid("web"));
    }
  }

  @Test
  void aServiceIsReadyWhenItsPortIsOpenAndFailsWhenThatCloses() throws Exception {
    try (var port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      daemon
          .service(
              "web",
              "[service]",
              SLEEP,
              "[lifecycle]",
              "restart = \"never\"",
              "[health]",
              "tcp = \"127.0.0.1:" + port.getLocalPort() + "\"",
              "interval_ms = 1000",
              "retries = 2")
          .service("after", "[service]", SLEEP, "[dependencies]", "requires = [\"web\"]");
      try (TestDaemon running = daemon.start()) {
        running.awaitState("after", "running");
        int pid = running.pid("web");
        closed(port);
        running.await(
            "the check to fail",
            () -> {
              running.pass(Duration.ofSeconds(1));
              return running.state("web").equals("failed");
            });
        var failed = assertInstanceOf(ServiceState.Failed.class, running.supervised().state("web"));
        assertEquals(new FailureReason.HealthCheckFailed(2), failed.reason());
        running.await("its process to be ended", () -> !TestProcesses.lives(pid));
        assertEquals("running", running.state("after"), "who runs goes on");
      }
    }
  }

  private static void closed(ServerSocket port) throws Exception {
    port.close();
  }

  @Test
  void nothingIsStartedWhileItsIntentCannotBeWritten() throws Exception {
    var disk = new FailingDisk(1);
    daemon.on(disk).service("web", "[service]", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      int pid = running.pid("web");
      disk.begin(FailingDisk.Trouble.FULL);
      assertInstanceOf(
          Answer.Refused.class, running.ask(new ServiceRequest.Restart(List.of("web"))));
      assertTrue(TestProcesses.lives(pid), "what runs goes on");
      running.await("it to be said", () -> running.log().contains("persistence_failed"));
      disk.end();
      running.await(
          "the disk to be believed in again",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return running.log().contains("persistence_restored");
          });
      assertEquals(pid, running.pid("web"));
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.await(
          "a new process",
          () -> running.state("web").equals("running") && running.pid("web") != pid);
    }
  }

  @Test
  void whatGoesDownWithTheDaemonDoesSoOnAFullDiskToo() throws Exception {
    var disk = new FailingDisk(1);
    daemon.on(disk).service("web", "[service]", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      int pid = running.pid("web");
      disk.begin(FailingDisk.Trouble.FULL);
      assertEquals(Shutdown.NOT_WRITTEN, running.stop(Request.Stop.END_JOBS));
      TestProcesses.awaitGone(pid);
      disk.end();
    }
  }

  @Test
  void countsRestartsOnWhereItsFileIsBroken() throws Exception {
    Path crashed = daemon.statePath().resolveSibling("crashed");
    daemon.service(
        "web",
        "[service]",
        "shell = true",
        "exec = \"test -e %1$s && exec sleep 1000; echo >%1$s; exit 1\"".formatted(crashed));
    try (TestDaemon running = daemon.start()) {
      running.await("a crash", () -> running.instance("web", 0).inBackoff());
      running.pass(Duration.ofSeconds(1));
      running.awaitState("web", "running");
      assertEquals(1, running.instance("web", 0).restartCount());
      running.stop();
      Files.writeString(daemon.statePath().resolve("supervisor/state.json"), "{broken");
      running.start();
      running.awaitState("web", "running");
      assertEquals(1, running.instance("web", 0).restartCount());
    }
  }

  @Test
  void findsWhatRunsInTheRunDirectoriesWhereItsFileIsBroken() throws Exception {
    daemon
        .service("web", "[service]", SLEEP)
        .service("tool", "[service]", "autostart = false", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      int pid = running.pid("web");
      running.stop();
      Files.writeString(daemon.statePath().resolve("supervisor/state.json"), "{broken");
      running.start();
      running.awaitState("web", "running");
      assertEquals(pid, running.pid("web"));
      assertEquals("inactive", running.state("tool"));
      running.await("it to be said", () -> running.log().contains("quarantined"));
    }
  }
}
