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

/**
 * Datagrams to a socket of this machine, which Java's channels cannot send. It never waits: a
 * datagram that cannot be taken now is dropped. After a restart of the listener it reconnects by
 * itself.
 */
public final class LocalDatagrams implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int DATAGRAM = 2;
  private static final int NAME_LIMIT_BYTES = 107;
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

  private final String name;
  private int socket = CLOSED;

  /**
   * A sender to this socket.
   *
   * @param name a path, or {@code @} and the name of a socket without a file
   */
  public LocalDatagrams(String name) {
    this.name = name;
    try (Libc libc = new Libc()) {
      address(libc, name); // one that is too long is refused now
    }
  }

  /**
   * Sends a datagram.
   *
   * @return false if it was dropped
   */
  public synchronized boolean send(byte[] bytes) {
    try (Libc libc = new Libc()) {
      MemorySegment message = libc.arena().allocateFrom(JAVA_BYTE, bytes);
      boolean delivered = deliver(libc, message);
      if (!delivered && socket == CLOSED) {
        // The listener is gone; there may be a new one.
        delivered = deliver(libc, message);
      }
      return delivered;
    }
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

  /** A new socket for datagrams that never waits; negative: the error number. */
  static int socket(Libc libc) {
    int kind = DATAGRAM | Platform.O_CLOEXEC | Platform.O_NONBLOCK;
    try {
      return libc.orErrno((int) OPEN_SOCKET.invokeExact(libc.state(), AF_UNIX, kind, 0));
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /** The address of a socket of this name, a path or {@code @} and the name of one without. */
  static MemorySegment address(Libc libc, String name) {
    byte[] bytes = name.getBytes(UTF_8);
    if (bytes.length > NAME_LIMIT_BYTES) {
      throw new IllegalArgumentException(
          name + " is too long for a socket, at most " + NAME_LIMIT_BYTES + " bytes are allowed");
    }
    boolean hasFile = !name.startsWith("@");
    if (!hasFile) {
      bytes[0] = 0;
    }
    // A path ends with a NUL; the length of a name without a file is given by the address.
    MemorySegment address = libc.arena().allocate(2L + bytes.length + (hasFile ? 1 : 0), 2);
    address.set(JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(bytes, 0, address, JAVA_BYTE, 2, bytes.length);
    return address;
  }

  private boolean connect(Libc libc) {
    MemorySegment address = address(libc, name);
    socket = Math.max(CLOSED, socket(libc));
    if (socket == CLOSED) {
      return false;
    }
    try {
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
