package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
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

  /** A log daemon of our own: a datagram socket that is read on demand. */
  private static final class Listener implements AutoCloseable {
    private static final MethodHandle OPEN =
        Libc.function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND =
        Libc.function("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private final Libc libc = new Libc();
    private final int socket;

    Listener(Path path) {
      byte[] name = path.toString().getBytes(UTF_8);
      MemorySegment address = libc.arena().allocate(110, 2);
      address.set(JAVA_SHORT, 0, (short) 1);
      MemorySegment.copy(name, 0, address, JAVA_BYTE, 2, name.length);
      try {
        socket = libc.orErrno((int) OPEN.invokeExact(libc.state(), 1, 2 | Platform.O_NONBLOCK, 0));
        assertEquals(0, libc.orErrno((int) BIND.invokeExact(libc.state(), socket, address, 110)));
      } catch (Throwable e) {
        throw Libc.rethrow(e);
      }
    }

    String receive() {
      MemorySegment buffer = libc.arena().allocate(65_536);
      int length = (int) libc.read(socket, buffer);
      assertTrue(length > 0, "nothing was received");
      return new String(buffer.asSlice(0, length).toArray(JAVA_BYTE), UTF_8);
    }

    @Override
    public void close() {
      libc.close(socket);
      libc.close();
    }
  }

  private SystemLog log() {
    return new SystemLog(root.resolve("log"), ZONE);
  }

  @Test
  void sendsALineAsTheLibraryWould() {
    try (Listener listener = new Listener(root.resolve("log"));
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
        try (Listener listener = new Listener(root.resolve("log"))) {
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
    try (Listener listener = new Listener(root.resolve("log"));
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
    try (Listener listener = new Listener(root.resolve("log"));
        SystemLog log = log()) {
      assertTrue(log.send(SystemLog.Severity.INFO, TIME, "a", 1, "€".repeat(10_000)));
      String line = listener.receive();
      assertTrue(line.endsWith("€"), line);
      assertTrue(line.getBytes(UTF_8).length <= 8192);
    }
  }
}
