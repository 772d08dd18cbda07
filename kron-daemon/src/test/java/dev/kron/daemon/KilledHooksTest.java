package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.api.Caller;
import dev.kron.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Daemons that are killed in the middle of hooks: with real processes and SIGKILL. */
final class KilledHooksTest {
  @TempDir Path directory;
  private Path config = Path.of("");
  private Path said = Path.of("");
  private Path go = Path.of("");

  @BeforeEach
  void makeDirectories() throws IOException {
    config = Files.createDirectory(directory.resolve("config"));
    said = directory.resolve("said");
    go = directory.resolve("go");
  }

  private void web(String... lines) throws IOException {
    String text =
        "[service]\nshell = true\nexec = \"echo main >>SAID; until [ -e OVER ]; do sleep 0.02;"
            + " done\"\n[hooks]\nshell = true\ntimeout_ms = 3600000\n"
            + String.join("\n", lines)
            + "\n";
    Files.writeString(
        config.resolve("web.toml"),
        text.replace("SAID", said.toString())
            .replace("WAIT", "until [ -e " + go + " ]; do sleep 0.02; done")
            .replace("OVER", directory.resolve("over").toString()));
  }

  private DaemonProcess start() throws Exception {
    var daemon =
        DaemonProcess.start(
            List.of(),
            config,
            directory.resolve("state"),
            FastClocks.startingNow(1),
            "none",
            directory.resolve("run/krond.sock").toString());
    daemon.awaitLine("event=listening");
    return daemon;
  }

  private Caller caller() {
    return Caller.at(directory.resolve("run/krond.sock"));
  }

  private Json instance() throws IOException {
    return caller().get("/v1/services/web").tree().list("instances").getFirst();
  }

  private boolean isGone() {
    try {
      return instance().get("runId").isNull();
    } catch (IOException e) {
      return false;
    }
  }

  private List<String> said() {
    try {
      return Files.exists(said) ? Files.readAllLines(said) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void stop(DaemonProcess daemon) throws Exception {
    caller().post("/v1/services/web/stop");
    daemon.await(this::isGone, "web to be down");
    assertEquals(0, daemon.stop());
  }

  @Test
  void beforeStartGoesOnAndIsFollowedByTheProcessOnce() throws Exception {
    web("before_start = \"echo before >>SAID; WAIT; echo done >>SAID\"");
    try (var daemon = start()) {
      daemon.await(() -> said().contains("before"), "before_start");
      daemon.killAfterMillis(0);
    }
    try (var daemon = start()) {
      daemon.awaitLine("event=adopted instance=web@0");
      Files.createFile(go);
      daemon.awaitLine("event=running instance=web@0");
      daemon.await(() -> said().contains("main"), "the process");
      stop(daemon);
    }
    assertEquals(List.of("before", "done", "main"), said());
  }

  @Test
  void beforeStartThatEndsWithoutADaemonCounts() throws Exception {
    web("before_start = \"echo $$ >>SAID; WAIT; echo done >>SAID\"");
    try (var daemon = start()) {
      daemon.await(() -> said().size() == 1, "before_start");
      daemon.killAfterMillis(0);
    }
    var hook = ProcessHandle.of(Long.parseLong(said().getFirst())).orElseThrow();
    Files.createFile(go);
    hook.onExit().get(60, TimeUnit.SECONDS);
    try (var daemon = start()) {
      daemon.awaitLine("event=running instance=web@0");
      daemon.await(() -> said().contains("main"), "the process");
      stop(daemon);
    }
    assertEquals(List.of("done", "main"), said().subList(1, said().size()));
  }

  @Test
  void afterStopGoesOnAndRunsOnce() throws Exception {
    web("after_stop = \"echo after >>SAID; WAIT; echo done >>SAID\"");
    try (var daemon = start()) {
      daemon.awaitLine("event=running instance=web@0");
      daemon.await(() -> said().contains("main"), "the process");
      Files.createFile(directory.resolve("over"));
      daemon.await(() -> said().contains("after"), "after_stop");
      daemon.killAfterMillis(0);
    }
    try (var daemon = start()) {
      daemon.awaitLine("event=adopted instance=web@0");
      assertFalse(instance().get("runId").isNull());
      Files.createFile(go);
      daemon.await(this::isGone, "after_stop to end");
      assertEquals("exited", instance().text("state"));
      assertEquals(0, daemon.stop());
    }
    assertEquals(List.of("main", "after", "done"), said());
  }

  @Test
  void whatRunsIsFoundAgainWhereTheFileOfServicesIsLost() throws Exception {
    web(
        "after_stop = \"echo after >>SAID; WAIT; echo done >>SAID\"",
        "[lifecycle]",
        "restart = \"always\"",
        "restart_delay_ms = 0");
    try (var daemon = start()) {
      daemon.await(() -> said().contains("main"), "the process");
      Files.createFile(directory.resolve("over"));
      daemon.await(() -> said().contains("after"), "after_stop");
      daemon.killAfterMillis(0);
    }
    Files.delete(directory.resolve("over"));
    Files.writeString(directory.resolve("state/supervisor/state.json"), "{ damaged");
    try (var daemon = start()) {
      daemon.awaitLine("event=rebuilt_from_runs");
      daemon.awaitLine("event=adopted instance=web@0");
      assertEquals(List.of("main", "after"), said());
      Files.createFile(go);
      daemon.await(() -> said().size() == 4, "another process");
      stop(daemon);
    }
    assertEquals(List.of("main", "after", "done", "main", "after", "done"), said());
  }

  @Test
  void aReloadIsKnownByTheNextDaemonWithItsEndAndOutput() throws Exception {
    web("reload = \"echo reload >>SAID; WAIT; echo well\"");
    String run;
    try (var daemon = start()) {
      daemon.awaitLine("event=running instance=web@0");
      run = caller().post("/v1/services/web/reload").tree().text("runId");
      daemon.await(() -> said().contains("reload"), "the reload");
      daemon.killAfterMillis(0);
    }
    try (var daemon = start()) {
      daemon.awaitLine("event=adopted instance=web@0");
      assertEquals(run, instance().text("reloadRunId"));
      Files.createFile(go);
      daemon.await(() -> isReloaded(run), "the reload to end");
      assertEquals("well\n", instance().get("lastReload").text("output"));
      assertTrue(instance().get("lastReload").get("problem").isNull());
      Files.createFile(directory.resolve("over"));
      daemon.awaitLine("event=exited instance=web@0");
      assertEquals(0, daemon.stop());
    }
    assertEquals(List.of("main", "reload"), said());
  }

  private boolean isReloaded(String run) {
    try {
      Json last = instance().get("lastReload");
      return !last.isNull() && last.text("runId").equals(run);
    } catch (IOException e) {
      return false;
    }
  }
}
