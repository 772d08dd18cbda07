package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon in the foreground of a terminal: its log is what people read there. */
class LogAtATerminalTest {
  @TempDir Path directory;

  @Test
  void showsTheTimeOfDayAndWhatHappened() throws Exception {
    assumeTrue(Pty.isPossible());
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path krontab = directory.resolve("shop.kron");
    Files.writeString(krontab, "* * * * * name=job command=/bin/true\n");
    String state = directory.resolve("state").toString();
    try (var terminal = new Pty(directory, 24, 120, "run", krontab.toString(), "--state", state)) {
      terminal.await("it is ready", all -> all.contains("daemon ready"));
      terminal.press("\003");
      terminal.awaitEnd();
      String ready = line(terminal.all(), "daemon ready");
      assertTrue(ready.matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  .*daemon ready.* jobs=1.*"), ready);
      assertFalse(terminal.all().contains("level="), terminal.all());
    }
  }

  private static String line(String all, String part) {
    return all.replaceAll("\r", "")
        .lines()
        .filter(line -> line.contains(part))
        .findFirst()
        .orElseThrow();
  }
}
