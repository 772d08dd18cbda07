package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of services and their processes, against one real daemon. */
class ServiceListsTest {
  private static final String SLEEPER = "[service]\nexec = \"sleep 1000\"\n";

  @TempDir static Path directory;
  private static RunningDaemon daemon;

  @BeforeAll
  static void start() throws Exception {
    daemon =
        new RunningDaemon(
            directory,
            null,
            "0 0 1 1 * name=nap command=\"/bin/sleep 1000\"",
            "0 0 1 1 * name=greet command=\"echo good morning\" shell=true");
    daemon.service("base", SLEEPER + "autostart = false\n");
    daemon.service(
        "shop-a", SLEEPER + "autostart = false\n[dependencies]\nrequires = [\"base\"]\n");
    daemon.service("shop-b", SLEEPER + "autostart = false\n");
    daemon.service(
        "pair",
        """
        [service]
        exec = "echo two of us; exec sleep 1000"
        shell = true
        instances = 2
        """);
    daemon.service(
        "tired",
        """
        [service]
        exec = "true"
        autostart = false
        [lifecycle]
        restart = "always"
        restart_delay_ms = 1
        max_restarts = 2
        """);
    ok("reload");
    daemon.await("they are known", () -> ok("services").contains("pair@1"));
  }

  @AfterAll
  static void stop() throws Exception {
    daemon.close();
  }

  private static String ok(String... words) {
    Result result = daemon.kron(words);
    assertEquals(ExitCode.OK, result.code(), String.join(" ", words) + ": " + result.err());
    return result.out();
  }

  private static Json json(String... words) throws Exception {
    String[] all = Arrays.copyOf(words, words.length + 2);
    all[words.length] = "--format";
    all[words.length + 1] = "json";
    return Json.parse(ok(all));
  }

  private static String commandLine(String pid) throws IOException {
    return Files.readString(Path.of("/proc", pid, "cmdline")).replace('\0', ' ').strip();
  }

  private static String row(String service) throws Exception {
    return ok("services")
        .lines()
        .filter(line -> line.startsWith(service + " "))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void listsMemoryAndProcessorTimeOfWhatRuns() throws Exception {
    daemon.await("it runs", () -> row("web").contains(" running "));
    String row = row("web");
    assertTrue(row.matches("web .* \\d+(\\.\\d)?[KMG]iB +\\d+\\.\\ds .*"), row);
    assertTrue(row("base").matches("base +down +(inactive|exited) +\\S+ +- +- +- .*"), row("base"));
    Json web =
        Json.parse(ok("services", "--format", "json")).list("services").stream()
            .filter(service -> service.text("name").equals("web"))
            .findFirst()
            .orElseThrow()
            .list("instances")
            .getFirst();
    assertEquals("1", web.text("processes"));
  }

  @Test
  void thePidIsThatOfTheCommand() throws Exception {
    daemon.await("it runs", () -> ok("services").matches("(?s).*web +up +running.*"));
    Json web = json("show", "service:web").list("instances").getFirst();
    daemon.await("the shell has become it", () -> commandLine(web.text("pid")).contains("1000"));
    assertEquals("sleep 1000", commandLine(web.text("pid")));
    assertTrue(ok("services").contains(" " + web.text("pid") + " "), ok("services"));
    assertTrue(commandLine(web.text("keeperPid")).contains("krond-keeper"));
    String state = Files.readString(directory.resolve("state/supervisor/state.json"));
    assertTrue(state.contains("\"pid\": " + web.text("pid") + ","), state);
    assertTrue(state.contains("\"keeper_pid\": " + web.text("keeperPid") + ","), state);
  }

  @Test
  void thePidOfARunIsThatOfItsCommandToo() throws Exception {
    String runId = ok("trigger", "nap").strip().substring("run ".length());
    daemon.await("it runs", () -> !json("show", runId).get("pid").isNull());
    Json run = json("show", runId);
    assertEquals("/bin/sleep 1000", commandLine(run.text("pid")));
    assertNotEquals(run.text("pid"), run.text("keeperPid"));
    assertTrue(ok("status").contains(" " + run.text("pid")), ok("status"));
    ok("stop", runId, "--wait");
  }

  @Test
  void outputOfSeveralIsToldApart() throws Exception {
    daemon.await("both have spoken", () -> ok("logs", "pair").lines().count() == 2);
    assertEquals("pair@0 | two of us\npair@1 | two of us\n", ok("logs", "pair"));
    assertEquals("two of us\n", ok("logs", "pair@1"));
    ok("trigger", "greet", "--wait");
    assertEquals(
        "greet  | good morning\npair@1 | two of us\n", ok("logs", "greet", "pair@1", "-n", "1"));
    assertEquals(ExitCode.USAGE, daemon.kron("logs", "pair", "greet", "--format", "json").code());
  }

  @Test
  void patternsAndWhatElseWouldStop() throws Exception {
    ok("start", "shop-*", "--wait");
    Result refused = daemon.kron("stop", "base");
    assertEquals(ExitCode.REFUSED, refused.code());
    assertEquals(
        """
        kron: shop-a requires what is to be stopped, and would be stopped too
        kron: nothing was done: say --yes where that is meant
        """,
        refused.err());
    assertTrue(ok("services").matches("(?s).*shop-a +up +running.*"), "nothing was done");
    assertEquals(ExitCode.REFUSED, daemon.kron("restart", "nobody-*").code());
    assertEquals(ExitCode.USAGE, daemon.kron("stop").code());
    assertEquals(ExitCode.USAGE, daemon.kron("restart", "--all", "base").code());
    ok("stop", "base", "--yes", "--wait");
    daemon.await("so is it", () -> ok("services").matches("(?s).*shop-a +down +exited.*"));
    assertEquals(
        "shop-b is running\n",
        ok("restart", "shop-?", "--wait").lines().skip(1).findFirst().orElseThrow() + "\n");
    ok("stop", "shop-*", "base", "--wait");
  }

  @Test
  void onATerminalItAsks() throws Exception {
    assumeTrue(Pty.isPossible(), "there is no /usr/bin/script to make a terminal");
    String socket = daemon.socket().toString();
    daemon.service("below", SLEEPER);
    daemon.service("above", SLEEPER + "[dependencies]\nrequires = [\"below\"]\n");
    ok("reload");
    daemon.await("they are up", () -> ok("services").matches("(?s).*above +up +running.*"));
    try (Pty terminal =
        new Pty(directory, 24, 100, "stop", "below", "--wait", "--socket", socket)) {
      terminal.await("it asks", all -> all.contains("go on? [y/N]"));
      terminal.press("y\n");
      terminal.await("it is done", all -> all.contains("below is exited"));
    }
  }

  @Test
  void whatBecameOfAServiceIsCountedAndOutlivesIt() throws Exception {
    ok("start", "crashy");
    daemon.await("it gives up", () -> ok("services").contains("exit code 3; gave up"));
    Json crashy = json("show", "crashy").list("instances").getFirst();
    assertEquals(2, crashy.number("restartsTotal"));
    assertEquals(2, crashy.number("restartsLastDay"));
    assertEquals("exit code 3", crashy.text("lastExit"));
    assertTrue(
        ok("services").matches("(?s).*crashy +up +failed +\\S+ +- +- +- +2 +2 +exit code 3.*"));
    String why = ok("why", "crashy");
    assertTrue(why.contains("it was restarted 2 times, 2 of them in the last day"), why);
    assertTrue(why.contains("nothing starts it again but 'kron start crashy'"), why);
    assertEquals(ExitCode.USAGE, daemon.kron("why", "crashy", "today").code());
    ok("stop", "crashy", "--wait");
    ok("shutdown");
    daemon.awaitEnd();
    daemon.again();
    assertEquals(2, json("show", "crashy").list("instances").getFirst().number("restartsTotal"));
  }

  @Test
  void whatWasAskedForIsNoRestartOfItsOwn() throws Exception {
    ok("start", "db", "--wait");
    ok("restart", "db", "--wait");
    Json asked = json("show", "db").list("instances").getFirst();
    assertEquals(0, asked.number("restartsTotal"), asked.toString());
    assertEquals("stopped", asked.text("lastExit"));
    ok("signal", "db", "KILL");
    daemon.await(
        "it is started again",
        () -> json("show", "db").list("instances").getFirst().number("restartsTotal") == 1);
    assertEquals("signal 9", json("show", "db").list("instances").getFirst().text("lastExit"));
    ok("stop", "db", "--wait");
    Json stopped = json("show", "db").list("instances").getFirst();
    assertEquals(1, stopped.number("restartsTotal"));
    assertEquals("stopped", stopped.text("lastExit"));
  }

  @Test
  void oneThatAlwaysSucceedsGivesUpTooAndSaysSo() throws Exception {
    String reason = "exit code 0; gave up after 2 restarts";
    ok("start", "tired");
    daemon.await("it gives up", () -> ok("services").contains(reason));
    assertTrue(ok("why", "tired").contains("nothing starts it again but 'kron start tired'"));
    assertTrue(daemon.kron("status").out().contains("has ended, " + reason + ": kron start or"));
    ok("reload");
    assertTrue(ok("services").contains(reason), "after a reload too");
    ok("stop", "tired", "--wait");
    assertFalse(ok("services").contains(reason), "who was stopped has not given up");
  }

  @Test
  void credentialsThatAreNotThereAreNotBound() {
    Result refused = daemon.kron("credentials", "bind", "shop-b", "nowhere");
    assertEquals(ExitCode.REFUSED, refused.code());
    assertTrue(refused.err().contains("shop-b cannot have credentials nowhere: "), refused.err());
    assertTrue(ok("show", "shop-b", "--format", "json").contains("\"boundProfile\": null"));
  }
}
