package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.OptionalLong;

/**
 * The limit on open files. Watching ten thousand keepers takes as many descriptors, but commands
 * must not inherit that limit: old ones close every descriptor up to it, or rely on 1024. A JVM
 * raises the limit before our code runs, unless it is started with {@code -XX:-MaxFDLimit}; then we
 * raise it, and know the earlier value.
 */
final class OpenFiles {

  private static final int RLIMIT_NOFILE = 7;
  private static final FunctionDescriptor LIMIT =
      FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS);

  private OpenFiles() {}

  /** Raises the limit as far as possible; returns the earlier one if it was lower. */
  static OptionalLong raiseLimit() {
    MethodHandle get = Libc.function("getrlimit", LIMIT);
    MethodHandle set = Libc.function("setrlimit", LIMIT);
    try (Libc libc = new Libc()) {
      MemorySegment limit = libc.arena().allocate(JAVA_LONG, 2);
      int read = libc.orErrno((int) get.invokeExact(libc.state(), RLIMIT_NOFILE, limit));
      long soft = limit.getAtIndex(JAVA_LONG, 0);
      long hard = limit.getAtIndex(JAVA_LONG, 1);
      if (read < 0 || soft == hard) {
        return OptionalLong.empty();
      }
      limit.setAtIndex(JAVA_LONG, 0, hard);
      int written = libc.orErrno((int) set.invokeExact(libc.state(), RLIMIT_NOFILE, limit));
      return written < 0 ? OptionalLong.empty() : OptionalLong.of(soft);
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }
}
