package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** A datagram socket that is read on demand: a log daemon, or a service manager. */
final class Listener implements AutoCloseable {
  private static final MethodHandle OPEN =
      Libc.function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle BIND =
      Libc.function("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private final Libc libc = new Libc();
  private final int socket;

  /**
   * @param path of the socket, or {@code @} and its name where it has no file
   */
  Listener(String path) {
    byte[] name = path.replace('@', '\0').getBytes(UTF_8);
    MemorySegment address = libc.arena().allocate(2L + name.length, 2);
    address.set(JAVA_SHORT, 0, (short) 1);
    MemorySegment.copy(name, 0, address, JAVA_BYTE, 2, name.length);
    try {
      socket = libc.orErrno((int) OPEN.invokeExact(libc.state(), 1, 2 | Platform.O_NONBLOCK, 0));
      assertEquals(
          0,
          libc.orErrno(
              (int) BIND.invokeExact(libc.state(), socket, address, (int) address.byteSize())));
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
