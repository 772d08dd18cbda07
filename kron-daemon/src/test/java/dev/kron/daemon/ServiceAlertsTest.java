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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told when services have failed for good: with real processes. */
class ServiceAlertsTest {
  private static final String FACTS =
      "echo $KRON_SERVICE@$KRON_INSTANCE $KRON_OUTCOME ${KRON_EXIT:-none} $KRON_RESTARTS"
          + " $KRON_REASON";

  @TempDir Path directory;
  private TestDaemon daemon;
  private Path told;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
    told = directory.resolve("told");
  }

  /** A service with an onfailure for a shell. */
  private void service(String name, String exec, String onFailure, String... lines)
      throws Exception {
    var all = new ArrayList<>(List.of("[service]", "shell = true", "exec = '''" + exec + "'''"));
    all.addAll(List.of("[hooks]", "shell = true"));
    all.add("onfailure = '''" + onFailure.replace("TOLD", told.toString()) + "'''");
    all.addAll(List.of(lines));
    daemon.service(name, all.toArray(String[]::new));
  }

  private List<String> told() {
    try {
      return Files.exists(told) ? Files.readAllLines(told) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Path runs() {
    return daemon.statePath().resolve("supervisor/runs");
  }

  private boolean nothingIsOwed() throws IOException {
    return Files.readString(daemon.statePath().resolve("supervisor/state.json"))
        .contains("\"alerts\": []");
  }

  private void awaitTold(TestDaemon running, int lines) {
    running.await(lines + " lines", () -> told().size() >= lines);
    running.await("nothing to be owed", this::nothingIsOwed);
    assertEquals(lines, told().size(), () -> told().toString());
  }

  private static void start(TestDaemon running, String name) throws Exception {
    assertInstanceOf(Answer.Done.class, running.ask(new ServiceRequest.Start(List.of(name))));
  }

  @Test
  void aFailureForGoodIsToldOnceWithItsFactsAndItsLastWords() throws Exception {
    service(
        "web",
        "echo last words; exit 3",
        "{ " + FACTS + "; cat; } >>TOLD",
        "[lifecycle]",
        "restart = \"never\"");
    try (TestDaemon running = daemon.start()) {
      awaitTold(running, 2);
      assertEquals(List.of("web@0 failed 3 0 exit code 3", "last words"), told());
      running.await("its directory to go, not that of the run", () -> directories(runs()) == 1);
      start(running, "web");
      running.await("the second, with the end of the whole log", () -> told().size() == 7);
      assertEquals("web@0 failed 3 0 exit code 3", told().get(2));
      // Its line may come after what it has said.
      String started = "event=onfailure_started instance=web@0";
      running.await("both lines", () -> running.log().split(started, -1).length == 3);
      assertFalse(running.log().contains("onfailure_failed"), running.log());
    }
  }

  /** A daemon that did not find it would start it again, and would not end the first. */
  @Test
  void oneThatRunsIsFoundWhereItsRecordIsMissing() throws Exception {
    String mark = Marked.unique();
    service(
        "web",
        "exit 3",
        "echo told >>TOLD; exec sh -c \"sleep 1000\" " + mark,
        "[lifecycle]",
        "restart = \"never\"");
    try (TestDaemon running = daemon.start()) {
      running.await("it runs", () -> told().size() == 1 && Marked.count(mark) > 0);
      running.stop();
      try (var all = Files.list(runs())) {
        for (Path run : all.filter(it -> Files.exists(it.resolve("stdin"))).toList()) {
          Files.delete(run.resolve("record"));
        }
      }
      running.onFailureLimit(Duration.ofMillis(300)).start();
      running.await("its end", () -> Marked.count(mark) == 0);
      awaitTold(running, 1);
    }
  }

  private static long directories(Path path) throws IOException {
    try (var files = Files.list(path)) {
      return files.filter(Files::isDirectory).count();
    }
  }

  @Test
  void aServiceThatIsRestartedIsToldOfWhenItGivesUpAndNotBefore() throws Exception {
    service(
        "web",
        "exit 0",
        FACTS + " >>TOLD",
        "[lifecycle]",
        "restart = \"always\"",
        "restart_delay_ms = 60000",
        "max_restarts = 1");
    try (TestDaemon running = daemon.start()) {
      running.await("its wait", () -> running.log().contains("event=restart_in"));
      assertEquals(List.of(), told());
      running.pass(Duration.ofSeconds(61));
      awaitTold(running, 1);
      assertEquals(List.of("web@0 gave_up 0 1 exit code 0"), told());
    }
  }

  @Test
  void whatSucceedsOrIsStoppedTellsNobody() throws Exception {
    service("once", "exit 0", FACTS + " >>TOLD");
    service("web", "trap 'exit 5' TERM; while :; do sleep 0.05; done", FACTS + " >>TOLD");
    service("slow", "exit 6", FACTS + " >>TOLD", "[lifecycle]", "restart_delay_ms = 3600000");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running").awaitState("once", "exited");
      running.await("its wait", () -> running.instance("slow", 0).inBackoff());
      running.ask(new ServiceRequest.Restart(List.of("web")));
      running.awaitState("web", "running");
      running.ask(new ServiceRequest.Stop(List.of("web", "slow")));
      running.awaitState("web", "exited");
      running.await("no more wait", () -> !running.instance("slow", 0).inBackoff());
      running.stop(Request.Stop.END_JOBS);
      assertFalse(running.log().contains("onfailure_started"), running.log());
      assertEquals(List.of(), told());
    }
  }

  @Test
  void whoRequiresItFailsTooAndIsToldOf() throws Exception {
    service(
        "db",
        "until [ -e " + directory + "/go ]; do sleep 0.01; done; exit 1",
        FACTS + " >>TOLD",
        "[lifecycle]",
        "ready = \"fd:3\"",
        "restart = \"never\"");
    service("web", "sleep 1000", FACTS + " >>TOLD", "[dependencies]", "requires = [\"db\"]");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "blocked");
      Files.createFile(directory.resolve("go"));
      running.await("both", () -> told().size() == 2);
      List<String> both = told().stream().sorted().toList();
      assertEquals("db@0 failed 1 0 exit code 1", both.getFirst());
      assertEquals("web@0 failed none 0 it requires db, which is down for good", both.getLast());
    }
  }

  @Test
  void theDaemonsOwnIsForServicesWithoutOne() throws Exception {
    daemon.onFailure("/bin/sh", "-c", "echo daemon $KRON_IDENTITY $KRON_HOOK >>" + told);
    service("own", "exit 1", "echo own >>TOLD", "[lifecycle]", "restart = \"never\"");
    daemon.service(
        "web", "[service]", "exec = \"/bin/false\"", "[lifecycle]", "restart = \"never\"");
    try (TestDaemon running = daemon.start()) {
      running.await("both", () -> told().size() == 2);
      assertEquals(List.of("daemon web@0 onfailure", "own"), told().stream().sorted().toList());
    }
  }

  @Test
  void runsAsTheServicesUserButNotWhereNorWithWhatMayBeMissing() throws Exception {
    assumeTrue(new SystemUsers().mayBecomeOthers(), "only root may");
    daemon.service(
        "web",
        "[service]",
        "exec = \"/nonexistent/web\"",
        "user = \"nobody\"",
        "cwd = \"/nonexistent\"",
        "[service.env]",
        "WORD = \"of its file\"",
        "[credentials]",
        "profile = \"missing\"",
        "[lifecycle]",
        "restart = \"never\"",
        "[hooks]",
        "shell = true",
        "onfailure = \"env; echo who=$(id -un)\"");
    try (TestDaemon running = daemon.start()) {
      running.await(
          "its end", () -> running.log().contains("onfailure_started") && nothingIsOwed());
      Map<String, String> variables =
          TestProcesses.variables(daemon.statePath().resolve("logs/web@0.log"));
      assertEquals("nobody", variables.get("who"));
      assertEquals("of its file", variables.get("WORD"));
      assertEquals("nobody", variables.get("USER"));
      assertEquals("2026-03-01T10:00:00Z", variables.get("KRON_FAILED_AT"));
      assertTrue(
          variables.getOrDefault("KRON_REASON", "").startsWith("it could not be started: "),
          variables::toString);
      assertEquals(26, variables.getOrDefault("KRON_RUN_ID", "").length());
    }
  }

  @Test
  void oneThatCannotBeRunIsAProblemInStatus() throws Exception {
    Path command = directory.resolve("alert");
    daemon
        .onFailure(command.toString())
        .service("web", "[service]", "exec = \"/bin/false\"", "[lifecycle]", "restart = \"never\"");
    try (TestDaemon running = daemon.withApi().start()) {
      String problem = "onfailure " + command + " does not work: web@0: ";
      running.await(
          "it to be said", () -> running.caller().get("/v1/status").body().contains(problem));
      running.await("nothing to be owed", this::nothingIsOwed);
      Files.writeString(command, "#!/bin/sh\necho told >>" + told + "\n");
      assertTrue(command.toFile().setExecutable(true));
      start(running, "web");
      awaitTold(running, 1);
      running.await(
          "it to work", () -> !running.caller().get("/v1/status").body().contains(problem));
    }
  }

  @Test
  void whatItWritesIsInTheServicesLog() throws Exception {
    service("web", "exit 3", "echo it is told; exit 9", "[lifecycle]", "restart = \"never\"");
    try (TestDaemon running = daemon.start()) {
      running.await("its end", () -> running.log().contains("event=onfailure_failed"));
      running.await("nothing to be owed", this::nothingIsOwed);
      assertEquals(
          "[krond: onfailure begins]\nit is told\n[krond: onfailure has ended: exit code 9]\n",
          daemon.output("web@0"));
      assertTrue(
          running.log().contains("event=onfailure_failed instance=web@0 exit=9"), running.log());
    }
  }

  @Test
  void itHasItsTimeAndIsEndedWithAllThatItStarted() throws Exception {
    String mark = Marked.unique();
    String sleeper = "sh -c \"trap : TERM; while :; do sleep 1; done\" " + mark;
    service(
        "web",
        "exit 3",
        "setsid " + sleeper + " & exec " + sleeper,
        "[lifecycle]",
        "restart = \"never\"");
    try (TestDaemon running = daemon.onFailureLimit(Duration.ofMillis(300)).start()) {
      running.await("its limit", () -> running.log().contains("event=onfailure_timed_out"));
      running.await("the end of it", () -> Marked.count(mark) == 0 && nothingIsOwed());
    }
  }

  @Test
  void theNextDaemonBoundsItsTimeAndStartsNoOther() throws Exception {
    String mark = Marked.unique();
    service(
        "web",
        "exit 3",
        "echo told >>TOLD; exec sh -c \"sleep 1000; :\" " + mark,
        "[lifecycle]",
        "restart = \"never\"");
    try (TestDaemon running = daemon.start()) {
      running.await("the alert", () -> Marked.count(mark) > 0);
      running.stop();
      daemon.onFailureLimit(Duration.ofMillis(300)).start();
      running.await("the end of it", () -> Marked.count(mark) == 0 && nothingIsOwed());
      assertEquals(List.of("told"), told());
    }
  }

  @Test
  void whatFailsWhileTheDiskIsFullIsToldOfLaterAndOnce() throws Exception {
    var disk = new FailingDisk(1);
    Path over = directory.resolve("over");
    service(
        "web",
        "until [ -e " + over + " ]; do sleep 0.02; done; exit 3",
        "echo told >>TOLD",
        "[lifecycle]",
        "restart = \"never\"");
    daemon.on(disk);
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      disk.begin(FailingDisk.Trouble.FULL);
      Files.createFile(over);
      running.await("it to be said", () -> running.log().contains("persistence_failed"));
      assertEquals(List.of(), told());
      disk.end();
      running.await(
          "room",
          () -> {
            running.pass(Duration.ofSeconds(1));
            return told().size() == 1;
          });
      awaitTold(running, 1);
    }
  }
}
