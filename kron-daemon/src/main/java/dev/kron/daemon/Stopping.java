package dev.kron.daemon;

import dev.kron.daemon.Input.Asked;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What signals ask of the daemon. */
final class Stopping {
  private static final int INIT = 1;

  private Stopping() {}

  static void onSignals(EventLoop loop) {
    on("HUP", loop, Request.Reload::new);
    on("TERM", loop, Stopping::how);
    on("INT", loop, Stopping::how);
  }

  /**
   * The only way to catch a signal in Java is {@code sun.misc.Signal}, which is supported but which
   * the compiler warns of in a manner that nothing but reflection silences.
   */
  private static void on(String name, EventLoop loop, Supplier<Request> request) {
    try {
      Class<?> signals = Class.forName("sun.misc.Signal");
      Class<?> handlers = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              Stopping.class.getClassLoader(),
              new Class<?>[] {handlers},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  loop.post(new Asked(request.get(), new CompletableFuture<>()));
                }
                return null;
              });
      signals
          .getMethod("handle", signals, handlers)
          .invoke(null, signals.getConstructor(String.class).newInstance(name), handler);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this Java platform cannot catch SIG" + name, e);
    }
  }

  /** Jobs go on without the daemon, unless everything ends with it: as PID 1 of a container. */
  private static Request how() {
    return ProcessHandle.current().pid() == INIT ? Request.Stop.END_JOBS : Request.Stop.LEAVE_JOBS;
  }
}
