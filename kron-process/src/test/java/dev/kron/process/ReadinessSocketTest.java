package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadinessSocketTest {
  @TempDir Path directory;

  @Test
  void isToldWhenTheDaemonIsReadyAndWhenItStops() {
    tells(directory.resolve("notify").toString());
  }

  @Test
  void mayListenOnASocketWithoutAFile() {
    tells("@kron-test-" + ProcessHandle.current().pid());
  }

  private static void tells(String socket) {
    try (var listener = new Listener(socket)) {
      var manager = ReadinessSocket.of(Map.of("NOTIFY_SOCKET", socket));
      manager.ready("3 jobs");
      assertEquals("READY=1\nSTATUS=3 jobs", listener.receive());
      manager.stopping();
      assertEquals("STOPPING=1", listener.receive());
    }
  }

  @Test
  void nobodyIsToldWhereNobodyListens() {
    for (String socket : new String[] {"", "nonsense", directory.resolve("none").toString()}) {
      assertDoesNotThrow(() -> ReadinessSocket.of(Map.of("NOTIFY_SOCKET", socket)).ready("0 jobs"));
    }
    assertDoesNotThrow(() -> ReadinessSocket.of(Map.of()).ready("0 jobs"));
  }
}
