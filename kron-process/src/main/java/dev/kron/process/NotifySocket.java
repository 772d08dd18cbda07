package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * A socket without a file at which the processes of one run report that the command is ready. The
 * kernel says who sent a datagram; it counts only if the sender belongs to the run. Of what it says
 * {@code READY=1} alone is taken, {@code MAINPID} and all else is passed over. Descriptors that
 * come along are never received: there is no room for them in what the kernel may fill.
 */
final class NotifySocket implements ReadySource {
  private static final int SOL_SOCKET = 1;
  private static final int SO_PASSCRED = 16;
  private static final int SCM_CREDENTIALS = 2;
  private static final int DO_NOT_WAIT = 0x40;
  private static final int CLOSE_ON_EXEC = 0x40000000;
  private static final int TRUNCATED = 0x20;
  private static final int MESSAGE_BYTES = 4 << 10;

  /** The room for the credentials of the sender, and for nothing else. */
  private static final int CONTROL_BYTES = 32;

  private static final int HEADER_BYTES = 56;

  private static final MethodHandle BIND =
      Libc.function("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle SET_OPTION =
      Libc.function(
          "setsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle RECEIVE =
      Libc.function("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

  private final int descriptor;
  private final IntPredicate belongs;
  private boolean ready;
  private boolean refused;

  private NotifySocket(int descriptor, IntPredicate belongs) {
    this.descriptor = descriptor;
    this.belongs = belongs;
  }

  /**
   * Opens a socket of this name.
   *
   * @param belongs whether a process, given by its pid, belongs to the run
   */
  static NotifySocket open(Libc libc, String name, IntPredicate belongs) throws IOException {
    int socket = LocalDatagrams.socket(libc);
    if (socket < 0) {
      throw new IOException("cannot open a socket: " + Libc.message(-socket));
    }
    MemorySegment address = LocalDatagrams.address(libc, name);
    MemorySegment on = libc.arena().allocateFrom(JAVA_INT, 1);
    int error;
    try {
      // In this order: no datagram may come without the word of who sent it.
      error =
          libc.orErrno(
              (int)
                  SET_OPTION.invokeExact(
                      libc.state(), socket, SOL_SOCKET, SO_PASSCRED, on, (int) on.byteSize()));
      if (error == 0) {
        int length = (int) address.byteSize();
        error = libc.orErrno((int) BIND.invokeExact(libc.state(), socket, address, length));
      }
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
    if (error < 0) {
      libc.close(socket);
      throw new IOException("cannot open the socket " + name + ": " + Libc.message(-error));
    }
    return new NotifySocket(socket, belongs);
  }

  @Override
  public int descriptor() {
    return descriptor;
  }

  @Override
  public Heard read(Libc libc, Readiness.Listener listener) {
    MemorySegment text = libc.arena().allocate(MESSAGE_BYTES);
    MemorySegment control = libc.arena().allocate(CONTROL_BYTES, 8);
    MemorySegment part = libc.arena().allocate(16, 8);
    part.set(ADDRESS, 0, text);
    part.set(JAVA_LONG, 8, text.byteSize());
    MemorySegment header = libc.arena().allocate(HEADER_BYTES, 8);
    header.set(ADDRESS, 16, part);
    header.set(JAVA_LONG, 24, 1);
    header.set(ADDRESS, 32, control);
    header.set(JAVA_LONG, 40, control.byteSize());
    long count = receive(libc, header);
    if (count < 0) {
      return Heard.NOTHING;
    }
    boolean whole = (header.get(JAVA_INT, 48) & TRUNCATED) == 0;
    boolean named =
        header.get(JAVA_LONG, 40) >= CONTROL_BYTES - Integer.BYTES
            && control.get(JAVA_INT, 8) == SOL_SOCKET
            && control.get(JAVA_INT, 12) == SCM_CREDENTIALS;
    if (ready || !whole || !named || !saysReady(text.asSlice(0, count))) {
      return Heard.MORE;
    }
    int pid = control.get(JAVA_INT, 16);
    if (!belongs.test(pid)) {
      refuse(listener, pid, control.get(JAVA_INT, 20));
      return Heard.MORE;
    }
    ready = true;
    return Heard.READY;
  }

  private long receive(Libc libc, MemorySegment header) {
    try {
      return libc.orErrno(
          (long)
              RECEIVE.invokeExact(libc.state(), descriptor, header, DO_NOT_WAIT | CLOSE_ON_EXEC));
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  private static boolean saysReady(MemorySegment text) {
    String said = new String(text.toArray(JAVA_BYTE), UTF_8);
    return Arrays.asList(said.split("\n")).contains("READY=1");
  }

  private void refuse(Readiness.Listener listener, int pid, int user) {
    if (!refused) {
      refused = true;
      listener.refused(pid, user);
    }
  }

  /** A command that reports more later does not fail to; that is read and dropped. */
  @Override
  public boolean staysOpen() {
    return true;
  }
}
