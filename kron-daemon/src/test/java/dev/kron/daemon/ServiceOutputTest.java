package dev.kron.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What services write, on the daemon's own standard output. */
class ServiceOutputTest {
  @TempDir Path directory;

  private static List<String> shown(TestDaemon daemon) {
    return daemon.out.toString(UTF_8).lines().sorted().toList();
  }

  @Test
  void linesOfServicesAreMarkedEscapedAndShownOnceAcrossDaemons() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-11-16T10:00:00Z").showingServices()) {
      daemon.service(
          "web",
          "[service]",
          "exec = \"printf 'level=info event=stopped\\\\n\\\\033[2Jx\\\\n'; exec sleep 1000\"",
          "shell = true");
      daemon.service(
          "pair",
          "[service]",
          "exec = \"echo $KRON_INSTANCE; exec sleep 1000\"",
          "shell = true",
          "instances = 2");
      daemon.start();
      List<String> expected =
          List.of("[pair@0] 0", "[pair@1] 1", "[web] \\x1b[2Jx", "[web] level=info event=stopped");
      daemon.await("the lines", () -> shown(daemon).equals(expected));
      daemon.stop();
      daemon.service(
          "late",
          "[service]",
          "exec = \"printf 'the last words'; exec sleep 1000\"",
          "shell = true");
      daemon.start().awaitState("late", "running");
      daemon.stop();
      // A line without an end is shown when the daemon leaves, and nothing was shown twice.
      assertEquals("[late] the last words", shown(daemon).getFirst());
      assertEquals(expected, shown(daemon).subList(1, 5));
      daemon.start();
    }
  }

  @Test
  void aLogThatIsRotatedAndOneThatIsLongAreShownWhole() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-11-16T10:00:00Z").showingServices()) {
      daemon.service(
          "much",
          "[service]",
          "exec = \"i=0; while [ $i -lt 3000 ]; do echo line $i;"
              + " i=$((i+1)); done; head -c 70000 /dev/zero | tr '\\\\0' x; echo; echo end;"
              + " exec sleep 1000\"",
          "shell = true",
          "[log]",
          "max_size = 65536");
      daemon.start();
      daemon.await("the end", () -> daemon.out.toString(UTF_8).contains("[much] end\n"));
      List<String> lines = daemon.out.toString(UTF_8).lines().toList();
      for (int i = 0; i < 3000; i++) {
        assertEquals("[much] line " + i, lines.get(i));
      }
      assertEquals(
          "x".repeat(70_000),
          lines.get(3000).replace("[much] ", "") + lines.get(3001).replace("[much] ", ""));
    }
  }
}
