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
 * The signals that are sent to this very process. The JDK's way to them is not part of its API, and
 * naming it in source causes a warning that cannot be turned off; hence the reflection.
 */
public final class OwnSignals {

  /** The result of a method without one; the proxy ignores it. */
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
   * Runs a task whenever the signal arrives, in place of the JVM's own reaction, even if the shell
   * that started this process ignored or blocked the signal ({@code nohup}). After this call TERM
   * and INT no longer end the process. The JVM must not run with {@code -Xrs}. The calling thread
   * must live as long as signals are to be received.
   *
   * @param executor runs the task; the JVM's own signal thread must neither be blocked nor call
   *     {@code System.exit}
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
   * Makes the JVM handle a signal that was ignored, which it would leave alone. Until it has its
   * own handler, an empty one takes its place, since some signals would end the process by default.
   */
  private static void ignoreNoMore(Signal signal) {
    try (Libc libc = new Libc()) {
      MemorySegment none = MemorySegment.NULL;
      MemorySegment action = libc.arena().allocate(OPAQUE_BYTES, 16);
      check(libc.orErrno((int) ACTION.invokeExact(libc.state(), signal.number(), none, action)));
      // The handler is the structure's first member.
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
