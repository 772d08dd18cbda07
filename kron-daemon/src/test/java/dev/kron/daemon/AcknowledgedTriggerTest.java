package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.Fault.Point;
import dev.kron.daemon.api.Caller;
import dev.kron.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever was told the id of a run finds the run by it, whatever becomes of the daemon. */
final class AcknowledgedTriggerTest {

  @TempDir Path directory;

  @Test
  void theIdOfARunThatTheDaemonDidNotLiveToStartLeadsToTheOneThatTookItsPlace() throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(
        config.resolve("jobs"),
        "0 0 1 1 * @policy(deadline=1h) name=job shell=true command=\"echo ran >>%s; echo said\"\n"
            .formatted(directory.resolve("ran")));
    String given;
    try (var daemon = start(config, Point.BEFORE_LAUNCH + ":1:hang")) {
      given = caller().post("/v1/jobs/job/trigger").tree().text("runId");
      daemon.killAfterMillis(0);
    }
    try (var daemon = start(config, "none")) {
      daemon.await(() -> hasEnded(given), "the run to be found and to end");
      assertNotEquals(given, show(given).text("runId"));
      assertEquals("said\n", caller().get("/v1/runs/" + given + "/logs/stdout").body());
      daemon.killAfterMillis(0);
    }
    try (var daemon = start(config, "none")) {
      assertTrue(hasEnded(given));
      assertEquals(0, daemon.stop());
    }
    assertEquals("ran\n", Files.readString(directory.resolve("ran")));
  }

  private Caller caller() {
    return Caller.at(directory.resolve("run/krond.sock"));
  }

  private DaemonProcess start(Path config, String fault) throws Exception {
    var daemon =
        DaemonProcess.start(
            List.of(),
            config,
            directory.resolve("state"),
            FastClocks.startingNow(1),
            fault,
            directory.resolve("run/krond.sock").toString());
    daemon.awaitLine("event=listening");
    return daemon;
  }

  private Json show(String run) throws IOException {
    return caller().get("/v1/runs/" + run).tree();
  }

  private boolean hasEnded(String run) {
    try {
      Json shown = show(run);
      return !shown.get("exitCode").isNull() && shown.number("exitCode") == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
