package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.services.HookOutput;
import dev.kron.process.SystemUsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hooks of services: with real processes. */
class ServiceHooksTest {
  private static final String UNTIL_GO = "until [ -e GO ]; do sleep 0.01; done; ";

  @TempDir Path directory;
  private TestDaemon daemon;
  private Path said;
  private Path go;

  @BeforeEach
  void makeOne() throws Exception {
    daemon = new TestDaemon(directory, "2026-03-01T10:00:00Z");
    said = directory.resolve("said");
    go = directory.resolve("go");
  }

  /** A service that says when it begins, with more lines for its file. */
  private void web(String... lines) throws Exception {
    var all = new ArrayList<>(List.of("[service]", "shell = true"));
    all.add("exec = \"echo main >>" + said + "; exec sleep 1000\"");
    for (String line : lines) {
      all.add(line.replace("SAID", said.toString()).replace("GO", go.toString()));
    }
    daemon.service("web", all.toArray(String[]::new));
  }

  private List<String> said() {
    try {
      return Files.exists(said) ? Files.readAllLines(said) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isGone(TestDaemon running) {
    return !running.instance("web", 0).isThere();
  }

  private String output() throws IOException {
    return Files.readString(directory.resolve("state/logs/web@0.log"));
  }

  private static void stop(TestDaemon running) throws Exception {
    assertInstanceOf(Answer.Done.class, running.ask(new ServiceRequest.Stop(List.of("web"))));
    running.await("web to be down", () -> isGone(running));
  }

  @Test
  void runBeforeEachStartAndAfterEachEnd() throws Exception {
    web(
        "[lifecycle]",
        "restart_delay_ms = 0",
        "[hooks]",
        "shell = true",
        "before_start = \"echo before $KRON_SERVICE $KRON_INSTANCE $KRON_HOOK >>SAID\"",
        "after_stop = \"echo after $KRON_REASON >>SAID\"");
    try (TestDaemon running = daemon.start()) {
      running.await(
          "its process", () -> said().equals(List.of("before web 0 before_start", "main")));
      running.awaitState("web", "running");
      ProcessHandle.of(running.pid("web")).orElseThrow().destroyForcibly();
      running.await("another", () -> said().size() == 5);
      running.awaitState("web", "running");
      stop(running);
      assertEquals("exited", running.state("web"));
      List<String> all = said();
      assertEquals("before web 0 before_start", all.get(3));
      assertEquals("main", all.get(4));
      assertTrue(all.get(2).matches("after (exit code 137|signal 9)"), all::toString);
      assertEquals("after", all.get(5));
      assertEquals(6, all.size());
      assertTrue(output().contains("[krond: before_start begins]\n"), output());
      assertTrue(output().contains("[krond: after_stop has ended: exit code 0]\n"), output());
    }
  }

  @Test
  void aFailedBeforeStartIsAFailedStart() throws Exception {
    web(
        "[lifecycle]",
        "max_restarts = 1",
        "restart_delay_ms = 60000",
        "[hooks]",
        "shell = true",
        "before_start = \"echo no room; echo before >>SAID; exit 3\"",
        "after_stop = \"echo after >>SAID\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "failed");
      assertTrue(
          running.log().contains("its before_start failed: exit code 3"), () -> running.log());
      running.pass(Duration.ofSeconds(61));
      running.await("it to give up", () -> running.log().contains("event=gave_up"));
      assertEquals(List.of("before", "before"), said());
      assertTrue(output().contains("no room\n[krond: before_start has ended: exit code 3]\n"));
    }
  }

  @Test
  void aHookThatCannotBeExecutedIsTheReason() throws Exception {
    web("[hooks]", "before_start = \"/nonexistent/hook\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "failed");
      assertTrue(
          running.log().contains("its before_start failed: it could not be started: exec:"),
          () -> running.log());
      assertEquals(List.of(), said());
    }
  }

  @Test
  void aHookThatHangsIsEndedWithAllThatItStarted() throws Exception {
    web(
        "[lifecycle]",
        "restart = \"never\"",
        "stop_timeout_ms = 5000",
        "[hooks]",
        "shell = true",
        "timeout_ms = 60000",
        "before_start = \"trap : TERM; (trap : TERM; while :; do sleep 1; done) &"
            + " echo $! >>SAID; while :; do sleep 1; done\"");
    try (TestDaemon running = daemon.start()) {
      running.await("it to hang", () -> said().size() == 1);
      running.await("that to be known", () -> running.instance("web", 0).state().pid() != null);
      running.pass(Duration.ofSeconds(59));
      assertEquals("starting", running.state("web"));
      running.pass(Duration.ofSeconds(2));
      running.awaitState("web", "failed");
      assertTrue(
          running.log().contains("before_start failed: not done within 60000 ms"),
          () -> running.log());
      assertFalse(isGone(running), "it does not listen to TERM");
      running.pass(Duration.ofSeconds(6));
      running.await("all of it to be gone", () -> isGone(running));
      TestProcesses.awaitGone(Long.parseLong(said().getFirst()));
    }
  }

  @Test
  void aStopEndsBeforeStartAndStartsNothing() throws Exception {
    web(
        "[hooks]",
        "shell = true",
        "before_start = \"echo before >>SAID; exec sleep 1000\"",
        "after_stop = \"echo after >>SAID\"");
    try (TestDaemon running = daemon.start()) {
      running.await("before_start", () -> said().size() == 1);
      stop(running);
      assertEquals("exited", running.state("web"));
      assertEquals(List.of("before"), said());
    }
  }

  @Test
  void runAsTheServicesUser() throws Exception {
    assumeTrue(new SystemUsers().mayBecomeOthers(), "only root may");
    daemon.service(
        "web",
        "[service]",
        "exec = \"sleep 1000\"",
        "user = \"nobody\"",
        "umask = \"0027\"",
        "cwd = \"/\"",
        "[service.env]",
        "WORD = \"of its file\"",
        "[hooks]",
        "shell = true",
        "before_start = \"echo $(id -un) $PWD $(umask) $WORD\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      assertTrue(output().contains("\nnobody / 0027 of its file\n"), output());
    }
  }

  private static Answer reload(TestDaemon running) throws Exception {
    return running.ask(new ServiceRequest.Reload("web", null));
  }

  private static HookOutput.Reloaded awaitReload(TestDaemon running, Answer answer) {
    String run = assertInstanceOf(Answer.Done.class, answer, answer::text).runId();
    running.await(
        "the reload to end",
        () -> {
          var last = running.lastReload("web");
          return last != null
              && last.runId().equals(run)
              && running.instance("web", 0).reloadRun() == null;
        });
    return Objects.requireNonNull(running.lastReload("web"));
  }

  @Test
  void aReloadCommandIsToldTheProcessAndItsEndIsTheAnswer() throws Exception {
    web(
        "[hooks]",
        "shell = true",
        "reload = \"echo $MAINPID $KRON_PID; echo reload >>SAID; [ ! -e GO ]\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      int pid = running.pid("web");
      var well = awaitReload(running, reload(running));
      assertEquals(pid + " " + pid + "\n", well.output());
      assertEquals(null, well.problem());
      Files.createFile(go);
      var failed = awaitReload(running, reload(running));
      assertEquals("exit code 1", failed.problem());
      assertEquals(1, failed.exitCode());
      assertEquals(pid, running.pid("web"), "it has the process that it had");
      assertTrue(output().contains("[reload] " + pid + " " + pid + "\n"), output());
      assertTrue(running.log().contains("event=hook_failed"), () -> running.log());
    }
  }

  @Test
  void aReloadOfAServiceReloadsEachOfItsInstances() throws Exception {
    daemon.service(
        "web",
        "[service]",
        "exec = \"sleep 1000\"",
        "instances = 3",
        "[hooks]",
        "reload = \"true\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      reload(running);
      running.await(
          "three reloads",
          () ->
              IntStream.range(0, 3)
                  .allMatch(
                      index ->
                          running
                              .log()
                              .contains(
                                  "event=hook_started instance=web@" + index + " hook=reload")));
    }
  }

  @Test
  void aReloadIsRefusedWhereThereIsNothingToReloadOrOneIsUnderWay() throws Exception {
    web("[hooks]", "shell = true", "reload = \"" + UNTIL_GO + "\"");
    daemon.service("plain", "[service]", "exec = \"sleep 1000\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("plain", "running").awaitState("web", "running");
      Answer none = running.ask(new ServiceRequest.Reload("plain", null));
      assertTrue(none.text().startsWith("plain has no reload command"), none::text);
      Answer first = reload(running);
      Answer second = reload(running);
      assertEquals("the reload command of web@0 is running already", second.text());
      Files.createFile(go);
      awaitReload(running, first);
      stop(running);
      assertEquals("web is not running", reload(running).text());
    }
  }

  @Test
  void aReloadThatHangsIsEndedAndSaidToBe() throws Exception {
    web("[hooks]", "shell = true", "timeout_ms = 60000", "reload = \"echo re >>SAID; sleep 1000\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      Answer answer = reload(running);
      running.await("it to hang", () -> said().contains("re"));
      running.await("its time to be bounded", () -> running.instance("web", 0).reloadUntil() > 0);
      running.pass(Duration.ofSeconds(61));
      String problem = Objects.requireNonNull(awaitReload(running, answer).problem());
      assertTrue(problem.contains("ended after 60000 ms"), problem);
      assertEquals("running", running.state("web"));
    }
  }

  @Test
  void aServiceThatEndsTakesItsReloadWithItBeforeAfterStop() throws Exception {
    web(
        "[hooks]",
        "shell = true",
        "reload = \"echo $$ >>SAID; exec sleep 1000\"",
        "after_stop = \"kill -0 $(sed -n 2p SAID) && echo beside >>SAID; echo after >>SAID\"");
    try (TestDaemon running = daemon.start()) {
      running.awaitState("web", "running");
      reload(running);
      running.await("the reload to run", () -> said().size() == 2);
      stop(running);
      assertEquals("after", said().getLast());
      assertEquals(3, said().size(), () -> said().toString());
      assertEquals(null, running.instance("web", 0).reloadRun());
    }
  }

  @Test
  void whatEndsEverythingEndsHooksToo() throws Exception {
    web("[hooks]", "shell = true", "before_start = \"echo $$ >>SAID; exec sleep 1000\"");
    TestDaemon running = daemon.start();
    running.await("before_start", () -> said().size() == 1);
    running.stop(Request.Stop.END_JOBS);
    TestProcesses.awaitGone(Long.parseLong(said().getFirst()));
  }
}
