package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of services and their processes, against one real daemon. */
class ServiceListsTest {
  @TempDir static Path directory;
  private static RunningDaemon daemon;

  @BeforeAll
  static void start() throws Exception {
    daemon = new RunningDaemon(directory, null, "0 0 1 1 * name=nap command=\"/bin/sleep 1000\"");
  }

  @AfterAll
  static void stop() {
    daemon.close();
  }

  private static String ok(String... words) {
    Result result = daemon.kron(words);
    assertEquals(ExitCode.OK, result.code(), String.join(" ", words) + ": " + result.err());
    return result.out();
  }

  private static Json json(String... words) throws Exception {
    String[] all = java.util.Arrays.copyOf(words, words.length + 2);
    all[words.length] = "--format";
    all[words.length + 1] = "json";
    return Json.parse(ok(all));
  }

  private static String commandLine(String pid) throws IOException {
    return Files.readString(Path.of("/proc", pid, "cmdline")).replace('\0', ' ').strip();
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
}
