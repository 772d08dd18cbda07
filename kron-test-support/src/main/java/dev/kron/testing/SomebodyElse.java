package dev.kron.testing;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * Does something as another user: the system calls, made without the C library's help, change one
 * thread only, and that thread ends afterwards. Only for root.
 */
@SuppressWarnings("restricted")
public final class SomebodyElse {
  private static final long NOBODY = 65_534;
  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
  private static final long SETGROUPS = ARM ? 159 : 116;
  private static final long SETRESGID = ARM ? 149 : 119;
  private static final long SETRESUID = ARM ? 147 : 117;
  private static final MethodHandle SYSCALL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("syscall"),
              FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
              Linker.Option.firstVariadicArg(1));

  private SomebodyElse() {}

  /** Whether this process may become others. */
  public static boolean isPossible() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException noProc) {
      throw new UncheckedIOException(noProc);
    }
  }

  /** Does something as a user who owns nothing. */
  public static <T> T does(Callable<T> something) throws Exception {
    return does(NOBODY, NOBODY, something);
  }

  /** Does something as the user and the group of these numbers. */
  public static <T> T does(long uid, long gid, Callable<T> something) throws Exception {
    var task =
        new FutureTask<T>(
            () -> {
              call(SETGROUPS, 0, 0, 0);
              call(SETRESGID, gid, gid, gid);
              call(SETRESUID, uid, uid, uid);
              return something.call();
            });
    Thread.ofPlatform().start(task);
    return task.get();
  }

  private static void call(long number, long first, long second, long third) {
    try {
      if ((long) SYSCALL.invokeExact(number, first, second, third) != 0) {
        throw new AssertionError("system call " + number);
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
