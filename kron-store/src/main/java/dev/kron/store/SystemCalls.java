package dev.kron.store;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * The few system calls for which the JDK's file classes do not suffice: those open without {@code
 * O_CLOEXEC}, close a channel when a thread is interrupted, hide the error number, and have no
 * {@code flock}. Each method returns the kernel's result, or the negated error number.
 */
final class SystemCalls {
  static final int O_RDONLY = 0;
  static final int O_WRONLY = 1;
  static final int O_CREAT = 0x40;
  static final int O_EXCL = 0x80;
  static final int O_APPEND = 0x400;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;
  private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");
  static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
  static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
  static final int LOCK_EXCLUSIVE_NOW = 2 | 4;
  static final int LOCK_FREE = 8;

  private static final int F_SETSIG = 10;
  private static final int F_SETLEASE = 1024;
  private static final int F_WRLCK = 1;
  private static final int F_UNLCK = 2;

  /** A signal that means nothing to a process that does not ask for it. */
  private static final int SIGURG = 23;

  private static final int EINTR = 4;
  private static final int AT_FDCWD = -100;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int STATX_BASIC_STATS = 0x7ff;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
  private static final MemoryLayout INT = ValueLayout.JAVA_INT;
  private static final MemoryLayout LONG = ValueLayout.JAVA_LONG;
  private static final MemoryLayout ADDRESS = ValueLayout.ADDRESS;

  private static final MethodHandle OPEN =
      call(
          "open",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ADDRESS, INT, INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle PREAD =
      call("pread", FunctionDescriptor.of(ValueLayout.JAVA_LONG, INT, ADDRESS, LONG, LONG));
  private static final MethodHandle WRITE =
      call("write", FunctionDescriptor.of(ValueLayout.JAVA_LONG, INT, ADDRESS, LONG));
  private static final MethodHandle FSYNC = onDescriptor("fsync");
  private static final MethodHandle FDATASYNC = onDescriptor("fdatasync");
  private static final MethodHandle CLOSE = onDescriptor("close");
  private static final MethodHandle FLOCK =
      call("flock", FunctionDescriptor.of(ValueLayout.JAVA_INT, INT, INT));
  private static final MethodHandle FCNTL =
      call(
          "fcntl",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, INT, INT, INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle STATX =
      call("statx", FunctionDescriptor.of(ValueLayout.JAVA_INT, INT, ADDRESS, INT, INT, ADDRESS));
  private static final MethodHandle GETEUID =
      call("geteuid", FunctionDescriptor.of(ValueLayout.JAVA_INT));

  private SystemCalls() {}

  static int open(Arena arena, Path path, int flags, int mode) {
    MemorySegment name = arena.allocateFrom(path.toString());
    MemorySegment state = arena.allocate(CALL_STATE);
    try {
      int result;
      do {
        result = (int) OPEN.invokeExact(state, name, flags, mode);
      } while (result < 0 && errno(state) == EINTR);
      return result < 0 ? -errno(state) : result;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Calls statx for a path itself, not for a link's target; fills {@code struct statx}. */
  static int statx(Arena arena, Path path, MemorySegment status) {
    MemorySegment name = arena.allocateFrom(path.toString());
    MemorySegment state = arena.allocate(CALL_STATE);
    try {
      int result =
          (int)
              STATX.invokeExact(
                  state, AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, status);
      return result < 0 ? -errno(state) : result;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  static long pread(Arena arena, int descriptor, MemorySegment into, long length, long offset) {
    MemorySegment state = arena.allocate(CALL_STATE);
    try {
      long result;
      do {
        result = (long) PREAD.invokeExact(state, descriptor, into, length, offset);
      } while (result < 0 && errno(state) == EINTR);
      return result < 0 ? -errno(state) : result;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /**
   * Takes the lease that the kernel gives only where no process has the file open for writing. Who
   * opens it waits until the descriptor is closed. The signal that would tell us of that is one
   * which does nothing; the usual one would end the process.
   */
  static int leaseAlone(Arena arena, int descriptor) {
    MemorySegment state = arena.allocate(CALL_STATE);
    try {
      int result = (int) FCNTL.invokeExact(state, descriptor, F_SETSIG, SIGURG);
      if (result >= 0) {
        result = (int) FCNTL.invokeExact(state, descriptor, F_SETLEASE, F_WRLCK);
      }
      return result < 0 ? -errno(state) : result;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /**
   * Gives a lease back. To close the descriptor is not enough: a process that is being started has
   * a copy of it for a moment, and who opens the file meanwhile would be refused or wait.
   */
  static void giveBackLease(Arena arena, int descriptor) {
    MemorySegment state = arena.allocate(CALL_STATE);
    try {
      int ignored = (int) FCNTL.invokeExact(state, descriptor, F_SETLEASE, F_UNLCK);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Writes everything. Returns 0, or the negated error number. */
  static int writeFully(Arena arena, int descriptor, MemorySegment from) {
    MemorySegment state = arena.allocate(CALL_STATE);
    long done = 0;
    try {
      while (done < from.byteSize()) {
        long length = from.byteSize() - done;
        long result = (long) WRITE.invokeExact(state, descriptor, from.asSlice(done), length);
        if (result >= 0) {
          done += result;
        } else if (errno(state) != EINTR) {
          return -errno(state);
        }
      }
      return 0;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  static int fsync(int descriptor) {
    return call(FSYNC, descriptor);
  }

  static int fdatasync(int descriptor) {
    return call(FDATASYNC, descriptor);
  }

  /** Closes a descriptor. Never repeated: whatever close returns, the descriptor is released. */
  static void close(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      int _ = (int) CLOSE.invokeExact(arena.allocate(CALL_STATE), descriptor);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  static int flock(int descriptor, int operation) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result;
      do {
        result = (int) FLOCK.invokeExact(state, descriptor, operation);
      } while (result < 0 && errno(state) == EINTR);
      return result < 0 ? -errno(state) : result;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  static int effectiveUser() {
    try (Arena arena = Arena.ofConfined()) {
      return (int) GETEUID.invokeExact(arena.allocate(CALL_STATE));
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static int call(MethodHandle handle, int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result;
      do {
        result = (int) handle.invokeExact(state, descriptor);
      } while (result < 0 && errno(state) == EINTR);
      return result < 0 ? -errno(state) : result;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  private static MethodHandle onDescriptor(String name) {
    return call(name, FunctionDescriptor.of(ValueLayout.JAVA_INT, INT));
  }

  @SuppressWarnings("restricted")
  private static MethodHandle call(
      String name, FunctionDescriptor descriptor, Linker.Option... more) {
    Linker.Option[] options = new Linker.Option[more.length + 1];
    options[0] = CAPTURE;
    System.arraycopy(more, 0, options, 1, more.length);
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
  }
}
