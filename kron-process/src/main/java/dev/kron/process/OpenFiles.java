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
 * must not inherit that: old ones close every descriptor up to the limit, or count on it being
 * 1024. A JVM raises the limit before any of our code runs, unless it is told {@code
 * -XX:-MaxFDLimit}; then we do it, and know what it was.
 */
final class OpenFiles {

  private static final int RLIMIT_NOFILE = 7;
  private static final FunctionDescriptor LIMIT =
      FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS);

  private OpenFiles() {}

  /** Raises the limit as far as it goes; returns what it was, if that was less. */
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
