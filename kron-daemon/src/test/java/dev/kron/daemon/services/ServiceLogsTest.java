package dev.kron.daemon.services;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.EventLog.Format;
import dev.kron.daemon.log.EventLog.Level;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.SystemClocks;
import dev.kron.daemon.loop.Workers;
import dev.kron.process.LogRotation.Method;
import dev.kron.process.LogRotation.Outcome;
import dev.kron.service.SupervisionState;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log says what may be lost of a service's output. */
class ServiceLogsTest {
  private static final Path WEB = Path.of("/logs/web.log");

  private static List<String> logged(Outcome... outcomes) {
    var bytes = new ByteArrayOutputStream();
    try (var events =
            new EventLog(
                new PrintStream(bytes, true, UTF_8),
                Format.TEXT,
                Level.INFO,
                () -> Instant.parse("2026-03-01T10:00:00Z"));
        var errands = new Errands(new Workers(), new Faults(), events)) {
      var logs =
          new ServiceLogs(
              SupervisionState::empty,
              instance -> WEB,
              run -> WEB,
              errands,
              new SystemClocks(),
              events);
      for (Outcome outcome : outcomes) {
        logs.rotated(WEB, outcome);
      }
    }
    return bytes.toString(UTF_8).lines().toList();
  }

  @Test
  void aLogThatHadToBeTruncatedIsToldOnce() {
    var truncated = new Outcome(1, Method.TRUNCATED, 0);
    List<String> lines = logged(truncated, truncated);
    assertEquals(1, lines.size(), lines::toString);
    String line = lines.getFirst();
    assertTrue(line.contains("event=log_truncated file=/logs/web.log"), line);
    assertTrue(line.contains("can neither take out nor free the head of a file"), line);
  }

  @Test
  void bytesThatWereDroppedAreTold() {
    List<String> lines = logged(new Outcome(3, Method.PUNCHED, 4096));
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(
        lines.getFirst().contains("event=log_dropped file=/logs/web.log bytes=4096"),
        lines.getFirst());
  }

  @Test
  void aRotationThatLosesNothingIsNotTold() {
    assertEquals(List.of(), logged(new Outcome(1, Method.COLLAPSED, 0), new Outcome(0, null, 0)));
  }
}
