package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.FailingDisk;
import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Healthy means that everything which is wanted happens; status says what does not. */
class HealthTest {
  private static final String SLEEP = "exec = \"sleep 1000\"";

  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z").withApi();
  }

  private static String status(TestDaemon running) throws Exception {
    return running.caller().get("/v1/status").body();
  }

  private static void awaitHealthy(TestDaemon running) {
    running.await("health", () -> running.caller().isHealthy());
  }

  /** Status and metrics agree. */
  private static void awaitProblem(TestDaemon running, String problem) throws Exception {
    running.await(problem, () -> status(running).contains(problem));
    assertFalse(running.caller().isHealthy());
    String metrics = running.caller().get("/metrics").body();
    assertTrue(metrics.contains("\nkron_healthy 0"), metrics);
  }

  @Test
  void servicesThatAreUpOneshotsThatAreDoneAndThoseThatNobodyWantsAreWell() throws Exception {
    daemon
        .service("web", "[service]", SLEEP)
        .service("once", "[service]", "type = \"oneshot\"", "exec = \"true\"")
        .service("tool", "[service]", "autostart = false", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running").awaitState("once", "exited");
      awaitHealthy(running);
      assertTrue(running.caller().get("/metrics").body().contains("\nkron_healthy 1"));
    }
  }

  @Test
  void aServiceThatHasFailedIsAProblemUntilNobodyWantsItUp() throws Exception {
    daemon.service("bad", "[service]", "exec = \"false\"", "[lifecycle]", "restart = \"never\"");
    try (TestDaemon running = daemon.start()) {
      awaitProblem(running, "service bad is wanted up and has failed: exit code 1");
      running.ask(new ServiceRequest.Stop(List.of("bad")));
      awaitHealthy(running);
    }
  }

  @Test
  void aServiceThatIsWantedUpAndHasEndedIsAProblem() throws Exception {
    daemon.service("short", "[service]", "exec = \"true\"");
    try (TestDaemon running = daemon.start()) {
      awaitProblem(running, "service short is wanted up and has ended, exit 0");
    }
  }

  @Test
  void aServiceThatWaitsForAnotherForLongIsAProblem() throws Exception {
    daemon
        .service("a", "[service]", SLEEP)
        .service("b", "[service]", SLEEP, "[dependencies]", "conflicts = [\"a\"]");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("a", "running").awaitState("b", "blocked");
      running.pass(Duration.ofSeconds(59));
      awaitHealthy(running);
      running.pass(Duration.ofSeconds(2));
      awaitProblem(running, "service b is wanted up and waits for a");
    }
  }

  @Test
  void stateOfServicesThatCannotBeWrittenIsAProblem() throws Exception {
    daemon.service("web", "[service]", "autostart = false", SLEEP);
    try (TestDaemon running = daemon.start()) {
      awaitHealthy(running);
      Path place = daemon.statePath().resolve("supervisor");
      Path aside = daemon.statePath().resolve("aside");
      Files.move(place, aside);
      Files.writeString(place, "in the way");
      running.ask(new ServiceRequest.Start(List.of("web")));
      awaitProblem(running, "state cannot be written, nothing new is started");
      Files.delete(place);
      Files.move(aside, place);
      int failures = running.log().split("event=persistence_failed", -1).length;
      running.await(
          "room",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return running.log().split("event=persistence_restored", -1).length == failures;
          });
      awaitHealthy(running);
      running.ask(new ServiceRequest.Start(List.of("web")));
      running.awaitState("web", "running");
    }
  }

  @Test
  void aLedgerThatCannotBeWrittenIsAProblemThoughNothingElseIsToBeWritten() throws Exception {
    var disk = new FailingDisk(1);
    try (TestDaemon running = daemon.on(disk).start()) {
      awaitHealthy(running);
      disk.begin(FailingDisk.Trouble.FULL);
      running.keepHouse();
      awaitProblem(running, "ledger does not work: ");
      disk.end();
      running.keepHouse();
      awaitHealthy(running);
    }
  }

  @Test
  void anAlertThatCannotBeRunIsAProblemUntilItCan() throws Exception {
    Path command = directory.resolve("alert");
    daemon.onFailure(command.toString()).write("* * * * * name=fails command=/bin/false");
    try (TestDaemon running = daemon.start()) {
      running.pass(Duration.ofSeconds(61));
      awaitProblem(running, "onfailure " + command + " does not work: ");
      Files.writeString(command, "#!/bin/sh\nexit 3\n");
      assertTrue(command.toFile().setExecutable(true));
      running.pass(Duration.ofSeconds(60));
      awaitProblem(running, ":fails: exit 3");
      Files.writeString(command, "#!/bin/sh\nexit 0\n");
      running.pass(Duration.ofSeconds(60));
      awaitHealthy(running);
    }
  }

  @Test
  void alertsOfTheSameProgramAreToldApart() throws Exception {
    daemon.write(
        """
        1 10 * * * name=first command=/bin/false onfailure="/bin/sh -c 'exit 3'"
        2 10 * * * name=second command=/bin/false onfailure="/bin/sh -c 'exit 4'"
        """);
    try (TestDaemon running = daemon.start()) {
      running.pass(Duration.ofSeconds(61));
      awaitProblem(running, "onfailure /bin/sh does not work: ");
      running.pass(Duration.ofSeconds(60));
      awaitProblem(running, "onfailure /bin/sh (2) does not work: ");
      String status = status(running);
      assertTrue(status.contains(":first: exit 3"), status);
      assertTrue(status.contains(":second: exit 4"), status);
    }
  }

  @Test
  void filesThatCouldNotBeTakenOverAreAProblemUntilTheyAre() throws Exception {
    daemon.write("* * * * * name=a command=/bin/true");
    try (TestDaemon running = daemon.start()) {
      awaitHealthy(running);
      daemon.write("this is no krontab");
      running.ask(new Request.Reload());
      awaitProblem(running, "reload does not work: 3 errors in the files");
      daemon.write("* * * * * name=a command=/bin/true");
      running.ask(new Request.Reload());
      awaitHealthy(running);
    }
  }

  @Test
  void aStateFileThatCouldNotBeReadIsAProblemUntilTheNextStart() throws Exception {
    daemon.service("web", "[service]", SLEEP);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      running.stop();
      Files.writeString(daemon.statePath().resolve("supervisor/state.json"), "{broken");
      running.start();
      running.awaitState("web", "running");
      awaitProblem(running, "state file ");
      assertEquals(0, running.stop());
      running.start();
      awaitHealthy(running);
    }
  }
}
