package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is wanted up comes up with the next daemon, however the one before it ended. */
class WantedUpTest {
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

  /** Ends with 0 when it is asked to, so that its restart policy alone would leave it down. */
  private static String polite(Path log) {
    return "exec = \"\"\"trap 'exit 0' TERM; echo $KRON_SERVICE >>%s; sleep 1000 & wait\"\"\""
        .formatted(log);
  }

  private static long lines(Path file) throws Exception {
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  @Test
  void whatWasEndedWithTheDaemonIsStartedByTheNextInTheSameBoot() throws Exception {
    Path begun = file("begun");
    daemon
        .service("db", "[service]", "shell = true", polite(begun))
        .service(
            "web",
            "[service]",
            "shell = true",
            polite(begun),
            "[dependencies]",
            "requires = [\"db\", \"once\"]",
            "[lifecycle]",
            "restart = \"never\"")
        .service("all", "[service]", "type = \"target\"", "[dependencies]", "requires = [\"web\"]")
        .service(
            "once",
            "[service]",
            "type = \"oneshot\"",
            "shell = true",
            "exec = \"echo once >>" + file("once") + "\"")
        .service("down", "[service]", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("all", "running");
      running.await("both began", () -> lines(begun) == 2);
      running.ask(new ServiceRequest.Stop(List.of("down")));
      running.awaitState("down", "exited");
      int web = running.pid("web");
      assertEquals(0, running.stop(Request.Stop.END_JOBS));
      TestProcesses.awaitGone(web);
      running.start();
      running.awaitState("all", "running");
      assertNotEquals(web, running.pid("web"));
      assertEquals("running", running.state("db"));
      assertEquals("exited", running.state("down"), "an operator stopped it");
      assertEquals(1, lines(file("once")), "it was done, and is not undone in the same boot");
    }
  }

  @Test
  void aWaitBeforeARestartGoesOnInTheNextDaemon() throws Exception {
    daemon.service(
        "crashes",
        "[service]",
        "shell = true",
        "exec = \"echo x >>" + file("tries") + "; exit 1\"",
        "[lifecycle]",
        "restart_delay_ms = 60000");
    try (TestDaemon running = daemon.start()) {
      running.await(
          "its wait", () -> running.state("crashes").equals("failed") && lines(file("tries")) == 1);
      assertEquals(0, running.stop(Request.Stop.END_JOBS));
      running.clocks.pass(Duration.ofSeconds(40));
      running.start();
      running.await("it is there", () -> running.instance("crashes", 0).inBackoff());
      assertEquals(1, lines(file("tries")), "its wait is not over");
      running.await(
          "its restart",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return lines(file("tries")) >= 2;
          });
    }
  }

  @Test
  void aTargetThatWasAServiceOnceIsUpWithEveryLaterDaemon() throws Exception {
    daemon.service("web", "[service]", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.await("it to run", () -> running.state("web").equals("running"));
      assertEquals(0, running.stop(Request.Stop.END_JOBS));
      daemon.service("web", "[service]", "type = \"target\"");
      running.start();
      running.await("it to be up", () -> running.state("web").equals("running"));
      running.stop();
      running.start();
      daemon.service("new", "[service]", SLEEP);
      running.ask(new Request.Reload());
      running.await("a service that is new", () -> running.state("new").equals("running"));
      assertEquals("running", running.state("web"));
    }
  }

  @Test
  void whatCouldNotBeStartedForAFullDiskIsStartedOnceThereIsRoom() throws Exception {
    var disk = new FailingDisk(1);
    daemon.on(disk).service("old", "[service]", "autostart = false", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.stop();
      daemon.service("web", "[service]", SLEEP, "[dependencies]", "requires = [\"old\"]");
      disk.begin(FailingDisk.Trouble.FULL);
      running.start();
      running.await("it to be said", () -> running.log().contains("persistence_failed"));
      assertEquals("inactive", running.state("web"));
      disk.end();
      running.await(
          "it to run",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return running.state("web").equals("running");
          });
      assertEquals("running", running.state("old"));
    }
  }

  @Test
  void aServiceWhoseFileComesBackBeforeItsLastProcessIsGoneIsStarted() throws Exception {
    Path begun = file("begun");
    String[] slowToGo = {
      "[service]",
      "shell = true",
      "exec = \"\"\"[ -e %1$s ] || trap '' TERM; echo $$ >>%1$s; while :; do sleep 0.1; done\"\"\""
          .formatted(begun),
      "[lifecycle]",
      "stop_timeout_ms = 60000"
    };
    daemon.service("web", slowToGo);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      running.await("its beginning", () -> lines(begun) == 1);
      daemon.remove("web");
      running.ask(new Request.Reload(false));
      running.awaitState("web", "stopping");
      running.stop();
      daemon.service("web", slowToGo);
      running.start();
      assertEquals("stopping", running.state("web"));
      long pid = Long.parseLong(Files.readString(begun).strip());
      assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
      running.await("another process", () -> lines(begun) == 2);
      running.awaitState("web", "running");
    }
  }
}
