package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemLogTest {

  private static final Instant TIME = Instant.parse("2026-02-03T04:05:06Z");
  private static final ZoneId ZONE = ZoneId.of("Europe/Paris");

  @TempDir Path root;

  private SystemLog log() {
    return new SystemLog(root.resolve("log"), ZONE);
  }

  @Test
  void sendsALineAsTheLibraryWould() {
    try (Listener listener = new Listener(root.resolve("log").toString());
        SystemLog log = log()) {
      assertTrue(log.send(SystemLog.Severity.INFO, TIME, "backup", 42, "done\nwell"));
      assertEquals("<78>Feb  3 05:05:06 backup[42]: done well", listener.receive());
      assertTrue(log.send(SystemLog.Severity.ERROR, TIME, "backup", 42, "äöü"));
      assertEquals("<75>Feb  3 05:05:06 backup[42]: äöü", listener.receive());
    }
  }

  @Test
  void findsALogThatWasRestarted() throws IOException {
    try (SystemLog log = log()) {
      assertFalse(log.send(SystemLog.Severity.INFO, TIME, "a", 1, "nobody listens yet"));
      assertEquals(1, log.dropped());
      for (int i = 0; i < 3; i++) {
        try (Listener listener = new Listener(root.resolve("log").toString())) {
          assertTrue(log.send(SystemLog.Severity.INFO, TIME, "a", 1, "round " + i));
          assertTrue(listener.receive().endsWith("round " + i));
        }
        Files.delete(root.resolve("log"));
      }
      assertEquals(1, log.dropped());
    }
  }

  @Test
  void dropsAndCountsInsteadOfWaiting() {
    try (Listener listener = new Listener(root.resolve("log").toString());
        SystemLog log = log()) {
      int sent = 0;
      while (log.send(SystemLog.Severity.INFO, TIME, "a", 1, "flood")) {
        sent++;
        assertTrue(sent < 1_000_000);
      }
      assertEquals(1, log.dropped());
      listener.receive();
      assertTrue(log.send(SystemLog.Severity.INFO, TIME, "a", 1, "again"));
    }
  }

  @Test
  void cutsALineBetweenCharacters() {
    try (Listener listener = new Listener(root.resolve("log").toString());
        SystemLog log = log()) {
      assertTrue(log.send(SystemLog.Severity.INFO, TIME, "a", 1, "€".repeat(10_000)));
      String line = listener.receive();
      assertTrue(line.endsWith("€"), line);
      assertTrue(line.getBytes(UTF_8).length <= 8192);
    }
  }
}
