package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * The output of an ended run as another's input, where it has become part of its run's record. The
 * reader gets a copy in memory: the record holds more than concerns it.
 */
final class JoinedInput {
  private static final int MFD_CLOEXEC = 1;

  private JoinedInput() {}

  /**
   * Opens a copy of a file that was joined to the record beside it.
   *
   * @return a descriptor to read from its beginning, or the negative error number
   */
  static int open(Libc libc, Path file) throws IOException {
    byte[] content = RunFiles.joined(file);
    if (content == null) {
      return -Libc.ENOENT;
    }
    int memory = create(libc);
    if (memory < 0) {
      return memory;
    }
    try {
      if (content.length > 0) {
        long written = libc.write(memory, libc.arena().allocateFrom(JAVA_BYTE, content));
        if (written != content.length) {
          return written < 0 ? (int) written : -Libc.ENOENT;
        }
      }
      int flags = Platform.O_RDONLY | Platform.O_CLOEXEC;
      return libc.open("/proc/self/fd/" + memory, flags, 0);
    } finally {
      libc.close(memory);
    }
  }

  private static int create(Libc libc) {
    // Bound when it is needed, which is rare.
    MethodHandle create =
        Libc.function("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    try {
      return libc.orErrno(
          (int) create.invokeExact(libc.state(), libc.string("output"), MFD_CLOEXEC));
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }
}
