package dev.kron.daemon;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What {@code NOTIFY_SOCKET} names: a datagram socket, which Java's channels do not have. */
@SuppressWarnings("restricted") // There is no other way to one.
final class ServiceManagerSocket implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int DATAGRAM_NOT_WAITING = 2 | 04000;

  private static final MethodHandle SOCKET =
      function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle BIND =
      function("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle READ =
      function("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private final int descriptor;
  private final List<String> received = new ArrayList<>();

  ServiceManagerSocket(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      byte[] name = path.toString().getBytes(UTF_8);
      MemorySegment address = arena.allocate(2L + name.length + 1, 2);
      address.set(JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(name, 0, address, JAVA_BYTE, 2, name.length);
      descriptor = (int) SOCKET.invokeExact(AF_UNIX, DATAGRAM_NOT_WAITING, 0);
      int bound = (int) BIND.invokeExact(descriptor, address, (int) address.byteSize());
      if (bound != 0) {
        throw new IllegalStateException("no socket can be bound at " + path);
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  /** Every message that has come so far, in order. */
  List<String> received() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(4096);
      while (true) {
        long length = (long) READ.invokeExact(descriptor, buffer, buffer.byteSize());
        if (length <= 0) {
          return List.copyOf(received);
        }
        received.add(new String(buffer.asSlice(0, length).toArray(JAVA_BYTE), UTF_8));
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    try {
      var _ = (int) CLOSE.invokeExact(descriptor);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
