package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The system log: one datagram a line to the socket that the C library's {@code syslog} uses too,
 * in the format that every reader of it knows. Never waits: a line that cannot be taken now is
 * dropped and counted. Finds the log again by itself after it was restarted.
 */
public final class SystemLog implements AutoCloseable {

  /** Where the log listens. */
  public static final Path SOCKET = Path.of("/dev/log");

  /** How urgent a line is; the numbers are the protocol's. */
  public enum Severity {
    ERROR(3),
    WARNING(4),
    NOTICE(5),
    INFO(6),
    DEBUG(7);

    private final int number;

    Severity(int number) {
      this.number = number;
    }
  }

  /** Readers cut off or refuse longer lines. */
  private static final int LINE_LIMIT_BYTES = 8192;

  private static final int CRON_FACILITY = 9;
  private static final int AF_UNIX = 1;
  private static final int DATAGRAM = 2;
  private static final int PATH_LIMIT_BYTES = 107;
  private static final int DO_NOT_WAIT = 0x40;
  private static final int NO_SIGNAL = 0x4000;
  private static final int CLOSED = -1;

  private static final MethodHandle OPEN_SOCKET =
      Libc.function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CONNECT =
      Libc.function("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle SEND =
      Libc.function(
          "send", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss", Locale.ROOT);

  private final Path path;
  private final ZoneId zone;
  private int socket = CLOSED;
  private long dropped;

  /**
   * Logs to the given socket, {@link #SOCKET} as a rule.
   *
   * @param zone the machine's own, in which the protocol has its times
   */
  public SystemLog(Path path, ZoneId zone) {
    if (path.toString().getBytes(UTF_8).length > PATH_LIMIT_BYTES) {
      throw new IllegalArgumentException(
          path + " is too long for a socket, at most " + PATH_LIMIT_BYTES + " bytes are allowed");
    }
    this.path = path;
    this.zone = zone;
  }

  /**
   * Sends a line.
   *
   * @param tag who says it, without spaces, colons or brackets
   * @param pid whose process it is
   * @return false: it was dropped
   */
  public synchronized boolean send(
      Severity severity, Instant time, String tag, int pid, String line) {
    byte[] bytes = format(severity, time, tag, pid, line);
    try (Libc libc = new Libc()) {
      MemorySegment message = libc.arena().allocateFrom(JAVA_BYTE, bytes);
      boolean delivered = deliver(libc, message);
      if (!delivered && socket == CLOSED) {
        // The log it led to is gone; there may be a new one.
        delivered = deliver(libc, message);
      }
      dropped += delivered ? 0 : 1;
      return delivered;
    }
  }

  /** How many lines could not be delivered. */
  public synchronized long dropped() {
    return dropped;
  }

  private byte[] format(Severity severity, Instant time, String tag, int pid, String line) {
    String head =
        "<%d>%s %s[%d]: "
            .formatted(
                CRON_FACILITY * 8 + severity.number, TIME.format(time.atZone(zone)), tag, pid);
    byte[] bytes = (head + line.replace('\n', ' ').replace('\0', ' ')).getBytes(UTF_8);
    return bytes.length <= LINE_LIMIT_BYTES ? bytes : java.util.Arrays.copyOf(bytes, cut(bytes));
  }

  /** The end of the last character that fits in whole. */
  private static int cut(byte[] bytes) {
    int end = LINE_LIMIT_BYTES;
    while ((bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    return end;
  }

  private boolean deliver(Libc libc, MemorySegment message) {
    if (socket == CLOSED && !connect(libc)) {
      return false;
    }
    try {
      long sent =
          libc.orErrno(
              (long)
                  SEND.invokeExact(
                      libc.state(), socket, message, message.byteSize(), DO_NOT_WAIT | NO_SIGNAL));
      if (sent < 0 && sent != -Libc.EAGAIN) {
        disconnect(libc);
      }
      return sent >= 0;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  private boolean connect(Libc libc) {
    byte[] name = path.toString().getBytes(UTF_8);
    MemorySegment address = libc.arena().allocate(2L + PATH_LIMIT_BYTES + 1, 2);
    address.set(JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(name, 0, address, JAVA_BYTE, 2, name.length);
    try {
      socket =
          Math.max(
              CLOSED,
              libc.orErrno(
                  (int)
                      OPEN_SOCKET.invokeExact(
                          libc.state(),
                          AF_UNIX,
                          DATAGRAM | Platform.O_CLOEXEC | Platform.O_NONBLOCK,
                          0)));
      if (socket == CLOSED) {
        return false;
      }
      int length = (int) address.byteSize();
      int error = libc.orErrno((int) CONNECT.invokeExact(libc.state(), socket, address, length));
      if (error < 0) {
        disconnect(libc);
        return false;
      }
      return true;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  private void disconnect(Libc libc) {
    libc.close(socket);
    socket = CLOSED;
  }

  @Override
  public synchronized void close() {
    if (socket != CLOSED) {
      try (Libc libc = new Libc()) {
        disconnect(libc);
      }
    }
  }
}
