package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.api.Caller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon in no fleet: it starts, and answers, without a class of what fleets need. */
final class WithoutFleetTest {
  private static final List<String> OF_FLEETS =
      List.of(
          "dev.kron.fleet.",
          "dev.kron.daemon.fleet.",
          "dev.kron.cluster.",
          "dev.kron.config.Fleet",
          "org.postgresql.");

  @TempDir Path directory;

  @Test
  void loadsNothingOfFleets() throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(config.resolve("jobs.kron"), "0 3 * * * name=a command=/bin/true\n");
    Path loaded = directory.resolve("loaded");
    Path socket = directory.resolve("run").resolve("s");
    String option = "JAVA_TOOL_OPTIONS=-Xlog:class+load:file=" + loaded;
    try (var daemon =
        DaemonProcess.start(
            List.of("env", option),
            config,
            directory.resolve("state"),
            FastClocks.startingNow(1),
            "none",
            socket.toString())) {
      daemon.awaitLine("event=ready");
      assertEquals(200, Caller.at(socket).get("/v1/jobs").status());
      assertTrue(Caller.at(socket).get("/v1/fleet").body().contains("\"member\":false"));
      assertEquals(0, daemon.stop());
    }
    List<String> classes = Files.readAllLines(loaded);
    assertTrue(classes.stream().anyMatch(line -> line.contains(" dev.kron.daemon.Krond ")));
    assertEquals(
        List.of(),
        classes.stream().filter(line -> OF_FLEETS.stream().anyMatch(line::contains)).toList());
  }
}
