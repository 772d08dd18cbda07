package dev.kron.daemon.jobs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.loop.Request;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of a busy second are made ready before it, and nothing of them begins too early. */
final class AheadTest {
  private static final int COUNT = 6;

  @TempDir Path directory;

  private TestDaemon busy(String fields) throws Exception {
    var daemon = new TestDaemon(directory, "2026-05-04T11:59:30Z");
    String[] lines =
        IntStream.range(0, COUNT)
            .mapToObj(
                i ->
                    fields
                        + " name=job"
                        + i
                        + " shell=true command=\"echo $KRON_RUN_ID >>"
                        + directory.resolve("evidence" + i)
                        + "\"")
            .toArray(String[]::new);
    return daemon.write(lines).start();
  }

  private List<String> runDirectories() throws IOException {
    try (var files = Files.list(directory.resolve("state/runs"))) {
      return files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
  }

  private long waiting() throws IOException {
    List<String> lines = commandLines();
    long waiting = 0;
    for (String run : runDirectories()) {
      String gate = "krond-gate\0" + directory.resolve("state/runs/" + run) + "\0";
      waiting += lines.stream().anyMatch(line -> line.contains(gate)) ? 1 : 0;
    }
    return waiting;
  }

  /** The command lines of all processes that execute a gate's script. */
  private static List<String> commandLines() throws IOException {
    List<String> lines = new ArrayList<>();
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        try {
          String line = Files.readString(process.resolve("cmdline"), ISO_8859_1);
          if (line.startsWith("/bin/sh\0-c\0eval \"$kron_keeper_gate\"\0")) {
            lines.add(line);
          }
        } catch (IOException e) {
          // It is gone.
        }
      }
    }
    return lines;
  }

  private void awaitReady(TestDaemon daemon) {
    daemon.await("runs that are ready", () -> waiting() == COUNT);
  }

  private void nothingHasRun() {
    for (int i = 0; i < COUNT; i++) {
      assertTrue(Files.notExists(directory.resolve("evidence" + i)));
    }
  }

  @Test
  void theRunsThatWereMadeReadyAreTheOnesThatRun() throws Exception {
    try (var daemon = busy("0 12 * * *")) {
      daemon.passUntil("2026-05-04T11:59:52Z");
      awaitReady(daemon);
      List<String> ready = runDirectories();
      nothingHasRun();
      daemon.pass(Duration.ofSeconds(9));
      for (int i = 0; i < COUNT; i++) {
        HistoryEntry entry = daemon.awaitEntries("job" + i, 1);
        assertEquals(0, entry.exitCode());
        assertTrue(ready.contains(entry.runId()));
        assertEquals(entry.runId() + "\n", Files.readString(directory.resolve("evidence" + i)));
      }
    }
  }

  @Test
  void aClockThatIsSetLetsThemGo() throws Exception {
    try (var daemon = busy("0 12 * * *")) {
      daemon.passUntil("2026-05-04T11:59:52Z");
      awaitReady(daemon);
      daemon.setClock("2026-05-04T10:00:00Z");
      daemon.await("nothing of them is left", () -> runDirectories().isEmpty());
      nothingHasRun();
    }
  }

  @Test
  void aReloadLetsThemGoAndTheNewCommandRuns() throws Exception {
    try (var daemon = busy("0 12 * * *")) {
      daemon.passUntil("2026-05-04T11:59:52Z");
      awaitReady(daemon);
      daemon.write("0 12 * * * name=job0 command=\"/bin/sh -c 'exit 3'\"");
      daemon.ask(new Request.Reload());
      daemon.pass(Duration.ofSeconds(9));
      assertEquals(3, daemon.awaitEntries("job0", 1).exitCode());
      nothingHasRun();
    }
  }

  @Test
  void aSuspendedJobDoesNotRunAlthoughItWasReady() throws Exception {
    try (var daemon = busy("0 12 * * *")) {
      daemon.passUntil("2026-05-04T11:59:52Z");
      awaitReady(daemon);
      daemon.ask(new Request.Suspend(daemon.identity("job0")));
      daemon.pass(Duration.ofSeconds(9));
      for (int i = 1; i < COUNT; i++) {
        assertEquals(Outcome.EXECUTED, daemon.awaitEntries("job" + i, 1).outcome());
      }
      daemon.pass(Duration.ofSeconds(70)); // the next runs of the minute make it look again
      assertEquals(List.of(), daemon.history("job0"));
      assertTrue(Files.notExists(directory.resolve("evidence0")));
    }
  }

  @Test
  void aDaemonThatStopsLeavesNothingThatWaits() throws Exception {
    try (var daemon = busy("0 12 * * *")) {
      daemon.passUntil("2026-05-04T11:59:52Z");
      awaitReady(daemon);
      assertEquals(0, daemon.stop());
      nothingHasRun();
    }
  }
}
