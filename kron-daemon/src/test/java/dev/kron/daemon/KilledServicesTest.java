package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Daemons that are killed while services are on their way: with real processes and SIGKILL. */
final class KilledServicesTest {
  private static final Pattern INSTANCE =
      Pattern.compile(
          "\"instance_index\":\\s*(\\d).*?\"to_restart\":\\s*(true|false)", Pattern.DOTALL);

  /** A minute lasts three seconds. */
  private final FastClocks clocks = FastClocks.startingNow(20);

  @TempDir Path directory;
  private Path config = Path.of("");
  private Path state = Path.of("");

  @BeforeEach
  void makeDirectories() throws IOException {
    config = Files.createDirectory(directory.resolve("config"));
    state = directory.resolve("state");
  }

  private void web(String... lines) throws IOException {
    Files.writeString(config.resolve("web.toml"), String.join("\n", lines) + "\n");
  }

  private DaemonProcess start() throws IOException {
    return DaemonProcess.start(config, state, clocks, "none");
  }

  private static void reload(DaemonProcess daemon) throws Exception {
    new ProcessBuilder("kill", "-HUP", Long.toString(daemon.pid())).start().waitFor();
  }

  /** Without its file a service is stopped. */
  private void stopAll(DaemonProcess daemon, int instances) throws Exception {
    Files.delete(config.resolve("web.toml"));
    reload(daemon);
    for (int index = 0; index < instances; index++) {
      daemon.awaitLine("event=removed instance=web@" + index);
    }
    assertEquals(0, daemon.stop());
  }

  private void edition(String word) throws IOException {
    web(
        "[service]",
        "shell = true",
        "exec = \"echo " + word + " >>" + directory + "/said-%i; exec sleep 1000\"",
        "instances = 3",
        "[lifecycle]",
        "start_stable_ms = 30000");
  }

  private long said(int index, String word) {
    Path file = directory.resolve("said-" + index);
    try {
      return Files.exists(file)
          ? Files.readAllLines(file).stream().filter(word::equals).count()
          : 0;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** What the file says of each instance: whether it runs what its file said before. */
  private Map<Integer, Boolean> marked() throws IOException {
    Map<Integer, Boolean> marked = new TreeMap<>();
    var found = INSTANCE.matcher(Files.readString(state.resolve("supervisor/state.json")));
    while (found.find()) {
      marked.put(Integer.valueOf(found.group(1)), Boolean.valueOf(found.group(2)));
    }
    return marked;
  }

  @Test
  void aRollingReloadWhoseDaemonIsKilledIsFinishedByTheNext() throws Exception {
    edition("old");
    try (var daemon = start()) {
      for (int index = 0; index < 3; index++) {
        daemon.awaitLine("event=running instance=web@" + index);
      }
      edition("new");
      reload(daemon);
      daemon.await(() -> said(0, "new") == 1, "the first to be another");
      daemon.killAfterMillis(0);
    }
    Map<Integer, Boolean> marked = marked();
    assertEquals(3, marked.size());
    for (int index = 0; index < 3; index++) {
      assertTrue(
          said(index, "new") == 1 || Boolean.TRUE.equals(marked.get(index)),
          "web@" + index + " is old and not marked: " + marked);
    }
    try (var daemon = start()) {
      daemon.await(() -> said(1, "new") == 1 && said(2, "new") == 1, "the others to follow");
      for (int index = 0; index < 3; index++) {
        assertEquals(1, said(index, "new"), "web@" + index);
        assertEquals(1, said(index, "old"), "web@" + index);
      }
      stopAll(daemon, 3);
    }
  }

  @Test
  void aReportWhileTheDaemonIsDeadIsHeardByTheNext() throws Exception {
    Path go = directory.resolve("go");
    Path told = directory.resolve("told");
    web(
        "[service]",
        "shell = true",
        "exec = \"until [ -e "
            + go
            + " ]; do sleep 0.02; done; echo >&3; echo >"
            + told
            + "; exec sleep 1000\"",
        "[lifecycle]",
        "ready = \"fd:3\"",
        "start_timeout_ms = 3600000");
    try (var daemon = start()) {
      daemon.await(
          () ->
              daemon.log().stream().anyMatch(line -> line.matches(".*event=starting.* pid=\\d+.*")),
          "a process");
      daemon.killAfterMillis(0);
    }
    Files.createFile(go);
    try (var daemon = start()) {
      daemon.awaitLine("event=running instance=web@0");
      assertTrue(Files.exists(told), "its write did not fail");
      assertFalse(daemon.logged("event=failed"), daemon.log().toString());
      stopAll(daemon, 1);
    }
  }
}
