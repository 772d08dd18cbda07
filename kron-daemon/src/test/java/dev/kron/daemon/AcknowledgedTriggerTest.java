package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.Fault.Point;
import dev.kron.daemon.api.Caller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever was told the id of a run finds the run by it, whatever becomes of the daemon. */
final class AcknowledgedTriggerTest {
  private static final Pattern RUN_ID = Pattern.compile("\"runId\":\"([^\"]+)\"");

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
      given = runId(caller().post("/v1/jobs/job/trigger").body());
      daemon.killAfterMillis(0);
    }
    try (var daemon = start(config, "none")) {
      daemon.await(() -> show(given).contains("\"exitCode\":0"), "the run to be found and to end");
      assertNotEquals(given, runId(show(given)));
      assertEquals("said\n", caller().get("/v1/runs/" + given + "/logs/stdout").body());
      daemon.killAfterMillis(0);
    }
    try (var daemon = start(config, "none")) {
      assertTrue(show(given).contains("\"exitCode\":0"), show(given));
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

  private String show(String run) {
    try {
      return caller().get("/v1/runs/" + run).body();
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static String runId(String answer) {
    Matcher matcher = RUN_ID.matcher(answer);
    assertTrue(matcher.find(), answer);
    return matcher.group(1);
  }
}
