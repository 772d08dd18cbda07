package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The C library, called for one piece of work: memory that is passed to it lives until {@link
 * #close}. For one thread. Calls that can fail return the C result, or the negative error number.
 */
@SuppressWarnings("restricted") // That is what this class is for.
final class Libc implements AutoCloseable {

  static final int ENOENT = 2;
  static final int ESRCH = 3;
  static final int EPERM = 1;
  static final int EINTR = 4;
  static final int ECHILD = 10;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  static final int EEXIST = 17;
  static final int EINVAL = 22;
  static final int AT_FDCWD = -100;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_TYPE = 1;
  private static final int STATX_BYTES = 256;
  private static final int STATX_MODE = 28;
  private static final int STATX_DEVICE = 136;
  private static final int S_IFMT = 0170000;
  private static final int S_IFREG = 0100000;
  private static final int S_IFIFO = 0010000;

  static final AddressLayout STRING =
      ADDRESS.withTargetLayout(
          MemoryLayout.sequenceLayout(Long.MAX_VALUE, java.lang.foreign.ValueLayout.JAVA_BYTE));

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  private static final VarHandle ERRNO_VALUE =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle OPEN =
      variadic("open", 2, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle FCNTL =
      variadic("fcntl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle WRITE =
      function("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle READ =
      function("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle STATX =
      function(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle PIPE2 =
      function("pipe2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle KILL =
      function("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle SYSCALL =
      variadic(
          "syscall",
          1,
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle STRERROR =
      LINKER.downcallHandle(symbol("strerror"), FunctionDescriptor.of(STRING, JAVA_INT));

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment callState = arena.allocate(CALL_STATE);

  /**
   * Binds a function that reports through {@code errno}; its first parameter takes {@link #state}.
   */
  static MethodHandle function(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(symbol(name), descriptor, ERRNO);
  }

  static MethodHandle variadic(String name, int fixedParameters, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(
        symbol(name), descriptor, ERRNO, Linker.Option.firstVariadicArg(fixedParameters));
  }

  /** Binds a function that does not report through {@code errno}. */
  static MethodHandle plain(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(symbol(name), descriptor);
  }

  /** The address of a function. */
  static MemorySegment symbol(String name) {
    return LINKER
        .defaultLookup()
        .find(name)
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "the C library has no "
                        + name
                        + "; Kron needs Linux with glibc 2.34 or newer"));
  }

  Arena arena() {
    return arena;
  }

  MemorySegment state() {
    return callState;
  }

  MemorySegment string(String text) {
    return arena.allocateFrom(text);
  }

  /** A NULL-terminated array of strings. */
  MemorySegment strings(List<String> texts) {
    MemorySegment array = arena.allocate(ADDRESS, texts.size() + 1L);
    for (int i = 0; i < texts.size(); i++) {
      array.setAtIndex(ADDRESS, i, arena.allocateFrom(texts.get(i)));
    }
    array.setAtIndex(ADDRESS, texts.size(), MemorySegment.NULL);
    return array;
  }

  int orErrno(int result) {
    return result == -1 ? -(int) ERRNO_VALUE.get(callState, 0L) : result;
  }

  long orErrno(long result) {
    return result == -1 ? -(int) ERRNO_VALUE.get(callState, 0L) : result;
  }

  int open(String path, int flags, int mode) {
    try {
      return orErrno((int) OPEN.invokeExact(callState, string(path), flags, mode));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  int close(int descriptor) {
    try {
      return orErrno((int) CLOSE.invokeExact(callState, descriptor));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  int fcntl(int descriptor, int command, int argument) {
    try {
      return orErrno((int) FCNTL.invokeExact(callState, descriptor, command, argument));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  long write(int descriptor, MemorySegment bytes) {
    try {
      return orErrno((long) WRITE.invokeExact(callState, descriptor, bytes, bytes.byteSize()));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  long read(int descriptor, MemorySegment into) {
    try {
      return orErrno((long) READ.invokeExact(callState, descriptor, into, into.byteSize()));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** Whether an open descriptor belongs to a regular file; false if that cannot be determined. */
  boolean isRegularFile(int descriptor) {
    return isOfType(descriptor, S_IFREG);
  }

  /** Whether an open descriptor belongs to a pipe; false if that cannot be determined. */
  boolean isPipe(int descriptor) {
    return isOfType(descriptor, S_IFIFO);
  }

  private boolean isOfType(int descriptor, int type) {
    MemorySegment status = arena.allocate(STATX_BYTES, 8);
    return status(descriptor, "", status) == 0
        && (status.get(JAVA_SHORT, STATX_MODE) & S_IFMT) == type;
  }

  /**
   * Whether an open descriptor is one of a regular file that lies somewhere: those below {@code
   * /proc} are windows into processes, and {@code /proc/self} into whoever opens them.
   */
  boolean isStoredFile(int descriptor) {
    MemorySegment file = arena.allocate(STATX_BYTES, 8);
    MemorySegment proc = arena.allocate(STATX_BYTES, 8);
    return isRegularFile(descriptor)
        && status(descriptor, "", file) == 0
        && (status(AT_FDCWD, "/proc", proc) != 0
            || file.get(JAVA_LONG, STATX_DEVICE) != proc.get(JAVA_LONG, STATX_DEVICE));
  }

  private int status(int directory, String path, MemorySegment status) {
    try {
      return orErrno(
          (int)
              STATX.invokeExact(
                  callState, directory, string(path), AT_EMPTY_PATH, STATX_TYPE, status));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  int pipe2(MemorySegment ends, int flags) {
    try {
      return orErrno((int) PIPE2.invokeExact(callState, ends, flags));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  int kill(int pid, int signal) {
    try {
      return orErrno((int) KILL.invokeExact(callState, pid, signal));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /**
   * A system call that the C library does not wrap, or wraps for all threads where one is meant.
   */
  int syscall(long number, long first, long second, long third, long fourth) {
    try {
      return (int)
          orErrno((long) SYSCALL.invokeExact(callState, number, first, second, third, fourth));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** The system's message for an error. */
  static String message(int errno) {
    try {
      return ((MemorySegment) STRERROR.invokeExact(errno)).getString(0);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** Rethrows an exception of a bound function, which can only come from the linker. */
  static RuntimeException rethrow(Throwable e) {
    if (e instanceof RuntimeException runtime) {
      throw runtime;
    }
    if (e instanceof Error error) {
      throw error;
    }
    throw new IllegalStateException(e);
  }

  @Override
  public void close() {
    arena.close();
  }
}
