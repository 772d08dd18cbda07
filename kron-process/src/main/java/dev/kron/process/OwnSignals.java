package dev.kron.process;

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

  private OwnSignals() {}

  /**
   * Has something done whenever the signal arrives, in place of what the JVM would do. After this
   * TERM and INT no longer end the process by themselves. The JVM must not run with {@code -Xrs}.
   *
   * @param executor runs it; the JVM's own signal thread must not be held up, nor call {@code
   *     System.exit}
   */
  public static void on(Signal signal, Executor executor, Runnable task) {
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
