package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.loop.ServiceRequest.OneInstance.Act;
import dev.kron.process.Signal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several instances of a service, each by itself and all of them: with real processes. */
class ServiceInstancesTest {
  @TempDir Path directory;
  private TestDaemon daemon;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
  }

  private static void web(TestDaemon daemon, int instances) throws Exception {
    daemon.service("web", "[service]", "exec = \"sleep 1000\"", "instances = " + instances);
  }

  private static List<String> states(TestDaemon daemon, String service) {
    return daemon.supervised().instances(service).stream()
        .map(instance -> instance.state().name())
        .toList();
  }

  private static void awaitStates(TestDaemon daemon, String... states) {
    daemon.await(List.of(states).toString(), () -> states(daemon, "web").equals(List.of(states)));
  }

  private static List<Integer> pids(TestDaemon daemon) {
    List<Integer> pids = new ArrayList<>();
    daemon.supervised().instances("web").forEach(it -> pids.add(it.state().pid()));
    return pids;
  }

  private static Answer ask(TestDaemon daemon, int index, Act act) throws Exception {
    return daemon.ask(new ServiceRequest.OneInstance("web", index, act));
  }

  @Test
  void eachOneKnowsItsNumberInItsCommandAndItsEnvironment() throws Exception {
    daemon.service(
        "web",
        "[service]",
        "shell = true",
        "exec = \"echo %i $KRON_INSTANCE %%i 100%% >" + directory + "/said-%i; exec sleep 1000\"",
        "instances = 2");
    try (TestDaemon running = daemon.start()) {
      running.await("both to speak", () -> said(0).endsWith("\n") && said(1).endsWith("\n"));
      assertEquals("0 0 %i 100%%\n", said(0));
      assertEquals("1 1 %i 100%%\n", said(1));
    }
  }

  private String said(int index) throws Exception {
    Path file = directory.resolve("said-" + index);
    return Files.exists(file) ? Files.readString(file) : "";
  }

  @Test
  void oneIsStoppedRestartedSignalledAndStartedByItselfAndThatIsRemembered() throws Exception {
    web(daemon, 3);
    daemon.service(
        "front", "[service]", "exec = \"sleep 1000\"", "[dependencies]", "requires = [\"web\"]");
    List<Integer> before;
    try (TestDaemon running = daemon.start()) {
      running.awaitState("front", "running");
      before = pids(running);
      assertTrue(ask(running, 1, Act.STOP).isDone());
      awaitStates(running, "running", "exited", "running");
      assertEquals("running", running.state("web"), "what was stopped by itself does not count");
      assertEquals("running", running.state("front"));
      assertTrue(ask(running, 2, Act.RESTART).isDone());
      running.await(
          "another process",
          () -> pids(running).get(2) != null && !pids(running).get(2).equals(before.get(2)));
      assertEquals(before.get(0), pids(running).get(0));
      assertInstanceOf(Answer.Refused.class, ask(running, 3, Act.START));
      running.stop();
    }
    TestDaemon again = new TestDaemon(directory, "2026-03-01T11:00:00Z");
    try (TestDaemon running = again.start()) {
      running.awaitState("web", "running");
      awaitStates(running, "running", "exited", "running");
      assertEquals(before.get(0), pids(running).get(0));
      running.ask(new ServiceRequest.SendSignal("web", 0, Signal.KILL));
      running.await("a crash of that one", () -> running.instance("web", 0).inBackoff());
      assertEquals("running", states(running, "web").get(2));
      assertTrue(ask(running, 1, Act.START).isDone());
      running.await("it to run", () -> states(running, "web").get(1).equals("running"));
    }
  }

  @Test
  void whatIsStartedByItselfOfAServiceThatIsDownIsAlone() throws Exception {
    web(daemon, 2);
    try (TestDaemon running = daemon.start()) {
      awaitStates(running, "running", "running");
      running.ask(new ServiceRequest.Stop(List.of("web")));
      awaitStates(running, "exited", "exited");
      ask(running, 1, Act.START);
      awaitStates(running, "exited", "running");
      running.ask(new ServiceRequest.Start(List.of("web")));
      awaitStates(running, "running", "running");
    }
  }

  @Test
  void aServiceIsScaledUntilItsFileSaysAnotherNumber() throws Exception {
    web(daemon, 2);
    List<Integer> before;
    try (TestDaemon running = daemon.start()) {
      awaitStates(running, "running", "running");
      before = pids(running);
      Answer dry = running.ask(new ServiceRequest.Scale("web", 4, true));
      assertEquals("start web@2, web@3", dry.text());
      assertEquals(2, states(running, "web").size());
      running.ask(new ServiceRequest.Scale("web", 4, false));
      awaitStates(running, "running", "running", "running", "running");
      assertEquals(before, pids(running).subList(0, 2));
      running.stop();
    }
    Files.delete(directory.resolve("state/supervisor/state.json"));
    TestDaemon second = new TestDaemon(directory, "2026-03-01T11:00:00Z");
    try (TestDaemon running = second.start()) {
      awaitStates(running, "running", "running", "running", "running");
      assertEquals(before, pids(running).subList(0, 2), "also where the supervisor's file is lost");
      web(second, 2);
      running.ask(new Request.Reload());
      assertEquals(4, states(running, "web").size(), "the file says the same as before");
      running.ask(new ServiceRequest.Scale("web", 3, false));
      awaitStates(running, "running", "running", "running");
      web(second, 1);
      running.ask(new Request.Reload());
      awaitStates(running, "running");
      web(second, 2);
      running.ask(new Request.Reload());
      awaitStates(running, "running", "running");
      assertEquals(before.get(0), pids(running).get(0));
      assertNotEquals(before.get(1), pids(running).get(1));
      assertFalse(running.log().contains("unexpected"));
    }
  }

  private static void mode(TestDaemon daemon, String exec) throws Exception {
    daemon.service(
        "web",
        "[service]",
        "exec = \"" + exec + "\"",
        "instances = 3",
        "[lifecycle]",
        "max_restarts = 1",
        "stop_timeout_ms = 100000000");
  }

  /** Waits until an instance has another process, and checks that the others have theirs. */
  private static List<Integer> awaitTurn(TestDaemon running, int index, List<Integer> before) {
    running.await(
        "another process of web@" + index,
        () -> {
          running.pass(Duration.ofSeconds(1));
          Integer pid = pids(running).get(index);
          return pid != null && !pid.equals(before.get(index));
        });
    List<Integer> after = pids(running);
    for (int other = 0; other < 3; other++) {
      assertEquals(other == index, !after.get(other).equals(before.get(other)), "web@" + other);
    }
    return after;
  }

  @Test
  void aReloadGoesFromOneInstanceToTheNextThroughTheEndOfTheDaemonToo() throws Exception {
    mode(daemon, "sleep 1000");
    List<Integer> pids;
    try (TestDaemon running = daemon.start()) {
      awaitStates(running, "running", "running", "running");
      running.pass(Duration.ofSeconds(1));
      mode(daemon, "sleep 2000");
      String plan = "restart web@0, web@1, web@2, one after the other";
      assertTrue(running.ask(new Request.Reload(true)).text().endsWith(plan));
      List<Integer> before = pids(running);
      assertTrue(running.ask(new Request.Reload(false)).text().endsWith(plan));
      running.await("its turn", () -> !before.get(0).equals(pids(running).get(0)));
      running.awaitState("web", "running");
      pids = pids(running);
      assertTrue(running.instance("web", 1).toRestart());
      running.stop();
    }
    TestDaemon again = new TestDaemon(directory, "2026-03-01T11:00:00Z");
    try (TestDaemon running = again.start()) {
      running.awaitState("web", "running");
      awaitTurn(running, 2, awaitTurn(running, 1, pids));
      mode(again, "false");
      running.ask(new Request.Reload(false));
      running.await(
          "it to be said",
          () -> {
            if (running.instance("web", 0).inBackoff()) {
              running.pass(Duration.ofSeconds(1));
            }
            return running.log().contains("event=restart_waits");
          });
      assertEquals(List.of("failed", "running", "running"), states(running, "web"), running.log());
      assertTrue(running.instance("web", 1).toRestart());
      assertTrue(running.instance("web", 2).toRestart());
    }
  }

  @Test
  void anInstanceThatWasOnItsWayOutIsStartedByADaemonWhoseFileHasItAgain() throws Exception {
    Path deaf = directory.resolve("deaf");
    String exec =
        "exec = \"if [ %i = 2 ]; then trap '' TERM; touch "
            + deaf
            + "; fi; sleep 1000 & wait; wait\"";
    daemon.service("web", "[service]", "shell = true", exec, "instances = 3");
    daemon.start();
    awaitStates(daemon, "running", "running", "running");
    daemon.await("the last one to be deaf", () -> Files.exists(deaf));
    daemon.service("web", "[service]", "shell = true", exec, "instances = 1");
    daemon.ask(new Request.Reload());
    awaitStates(daemon, "running", "exited", "stopping");
    daemon.stop();
    daemon.service("web", "[service]", "shell = true", exec, "instances = 2");
    try (TestDaemon running = daemon.start()) {
      running.await(
          "both to be up",
          () -> states(running, "web").subList(0, 2).equals(List.of("running", "running")));
      running.pass(Duration.ofSeconds(20)); // the deaf one is killed
    }
  }
}
