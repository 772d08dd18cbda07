package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.Fault.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A service that has failed is told of once, wherever the daemon dies: with real processes. */
final class KilledAlertsTest {
  @TempDir Path directory;
  private Path config = Path.of("");
  private Path told = Path.of("");
  private Path go = Path.of("");

  @BeforeEach
  void makeDirectories() throws IOException {
    config = Files.createDirectory(directory.resolve("config"));
    told = directory.resolve("told");
    go = directory.resolve("go");
  }

  private void web(String onFailure) throws IOException {
    Files.writeString(
        config.resolve("web.toml"),
        """
        [service]
        shell = true
        exec = "exit 3"
        [lifecycle]
        restart = "never"
        [hooks]
        shell = true
        onfailure = "%s"
        """
            .formatted(onFailure.replace("TOLD", told.toString()).replace("GO", go.toString())));
  }

  private DaemonProcess start(String fault) throws Exception {
    return DaemonProcess.start(
        config, directory.resolve("state"), FastClocks.startingNow(1), fault);
  }

  private List<String> told() {
    try {
      return Files.exists(told) ? Files.readAllLines(told) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private boolean nothingIsOwed() {
    try {
      return Files.readString(directory.resolve("state/supervisor/state.json"))
          .contains("\"alerts\": []");
    } catch (IOException e) {
      return false;
    }
  }

  /** The first launch and the first end are the service's, the second ones those of the alert. */
  @ParameterizedTest
  @CsvSource({
    "BEFORE_EXIT_TOLD, 1",
    "AFTER_EXIT_TOLD, 1",
    "BEFORE_LAUNCH, 2",
    "AFTER_LAUNCH, 2",
    "AFTER_EXIT_TOLD, 2"
  })
  void isToldOfOnceByTheNextDaemon(Point point, int times) throws Exception {
    web("echo $KRON_REASON >>TOLD");
    try (var daemon = start(Fault.at(point, times))) {
      assertTrue(daemon.diesWithinMillis(60_000));
    }
    try (var daemon = start("none")) {
      daemon.awaitLine("event=ready");
      daemon.await(() -> told().size() == 1 && nothingIsOwed(), "the alert");
      assertEquals(0, daemon.stop());
    }
    try (var daemon = start("none")) {
      daemon.awaitLine("event=ready");
      assertEquals(0, daemon.stop());
    }
    assertEquals(List.of("exit code 3"), told());
  }

  @Test
  void aCommandThatRunsIsAdoptedByTheNextDaemon() throws Exception {
    web("echo begun >>TOLD; until [ -e GO ]; do sleep 0.02; done; echo done >>TOLD");
    try (var daemon = start("none")) {
      daemon.await(() -> told().size() == 1, "the alert");
      daemon.killAfterMillis(0);
    }
    try (var daemon = start("none")) {
      daemon.awaitLine("event=ready");
      Files.createFile(go);
      daemon.await(this::nothingIsOwed, "its end to be known");
      assertEquals(0, daemon.stop());
    }
    assertEquals(List.of("begun", "done"), told());
  }
}
