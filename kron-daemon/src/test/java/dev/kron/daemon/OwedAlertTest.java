package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.Fault.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failure that became durable is told of, once, whenever the daemon dies. */
final class OwedAlertTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_LAUNCH", "AFTER_LAUNCH"})
  void isRaisedOnceByTheNextDaemon(Point point) throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Path ran = directory.resolve("ran");
    Path told = directory.resolve("told");
    Files.writeString(
        config.resolve("jobs"),
        "* * * * * @policy(deadline=2h) name=job command=\"/bin/sh -c 'setsid sh -c \\\"while [ -e %s ]; do sleep 0.1; done\\\" & echo $KRON_RUN_ID >>%s; exit 3'\" onfailure=\"/bin/sh -c 'echo $KRON_RUN_ID >>%s'\"%n"
            .formatted(config, ran, told)); // what the runs leave behind ends with the directory
    var clocks = FastClocks.startingNow(60);
    int times = 2; // the second start is that of the alert
    Path state = directory.resolve("state");
    try (var daemon = DaemonProcess.start(config, state, clocks, Fault.at(point, times))) {
      assertTrue(daemon.diesWithinMillis(60_000));
    }
    String failed = lines(ran).getFirst();
    try (var daemon = DaemonProcess.start(config, state, clocks, "none")) {
      daemon.await(() -> count(told, failed) > 0, "an alert of run " + failed);
      int others = lines(told).size() + 2;
      daemon.await(() -> lines(told).size() >= others, "alerts of later runs");
      assertEquals(0, daemon.stop());
    }
    for (String run : lines(told)) {
      assertEquals(1, count(told, run), run);
    }
  }

  private static long count(Path file, String line) {
    return lines(file).stream().filter(line::equals).count();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
