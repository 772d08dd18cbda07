package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Executor;

/**
 * Signals sent to this very process. The JDK's own way to them is not part of its API, and naming
 * it in source is a warning that cannot be turned off; hence the reflection.
 */
public final class OwnSignals {

  /** What a method without result returns through a proxy, which ignores it. */
  private static final Object NOTHING = new Object();

  private static final long SIGNAL_IGNORED = 1;
  private static final int UNBLOCK = 1;

  /** More than any architecture needs for an action or a signal set. */
  private static final long OPAQUE_BYTES = 512;

  private static final MethodHandle ACTION =
      Libc.function("sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle ADD =
      Libc.function("sigaddset", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle MASK =
      Libc.plain("pthread_sigmask", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));

  private OwnSignals() {}

  /**
   * Has something done whenever the signal arrives, in place of what the JVM would do, whatever the
   * shell that started this process ignores or blocks ({@code nohup}). After this TERM and INT no
   * longer end the process by themselves. The JVM must not run with {@code -Xrs}. The calling
   * thread has to live for as long as signals are to be heard.
   *
   * @param executor runs it; the JVM's own signal thread must not be held up, nor call {@code
   *     System.exit}
   */
  public static void on(Signal signal, Executor executor, Runnable task) {
    ignoreNoMore(signal);
    unblock(signal);
    try {
      Class<?> signalClass = Class.forName("sun.misc.Signal");
      Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              OwnSignals.class.getClassLoader(),
              new Class<?>[] {handlerClass},
              (proxy, method, arguments) -> answer(proxy, method, executor, task));
      Object jdkSignal = signalClass.getConstructor(String.class).newInstance(signal.name());
      signalClass.getMethod("handle", signalClass, handlerClass).invoke(null, jdkSignal, handler);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot listen for SIG" + signal, e);
    }
  }

  /**
   * The JVM leaves a signal alone that it finds ignored. Until it has its own handler, one that
   * does nothing stands there: by default some signals would end the process.
   */
  private static void ignoreNoMore(Signal signal) {
    try (Libc libc = new Libc()) {
      MemorySegment none = MemorySegment.NULL;
      MemorySegment action = libc.arena().allocate(OPAQUE_BYTES, 16);
      check(libc.orErrno((int) ACTION.invokeExact(libc.state(), signal.number(), none, action)));
      // The handler is the first member.
      if (action.get(ADDRESS, 0).address() == SIGNAL_IGNORED) {
        action.fill((byte) 0);
        action.set(ADDRESS, 0, Libc.symbol("abs"));
        check(libc.orErrno((int) ACTION.invokeExact(libc.state(), signal.number(), action, none)));
      }
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  private static void unblock(Signal signal) {
    try (Libc libc = new Libc()) {
      MemorySegment set = libc.arena().allocate(OPAQUE_BYTES, 16);
      check(libc.orErrno((int) ADD.invokeExact(libc.state(), set, signal.number())));
      check(-(int) MASK.invokeExact(UNBLOCK, set, MemorySegment.NULL));
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  private static void check(int result) {
    if (result < 0) {
      throw new IllegalStateException("cannot listen for signals: " + Libc.message(-result));
    }
  }

  private static Object answer(Object proxy, Method method, Executor executor, Runnable task) {
    return switch (method.getName()) {
      case "handle" -> {
        executor.execute(task);
        yield NOTHING;
      }
      case "hashCode" -> System.identityHashCode(proxy);
      case "equals" -> false;
      default -> "handler";
    };
  }
}
