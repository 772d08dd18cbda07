package dev.kron.scheduler.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database whose connection is ended at a chosen statement, before or after it took effect. */
final class BreakingSource {
  private final DataSource source;
  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
  private volatile boolean afterwards;

  BreakingSource(DataSource source) {
    this.source = source;
  }

  /**
   * @param statement how many statements are executed before
   * @param takesEffect whether it is the answer that is lost
   */
  void breakAt(int statement, boolean takesEffect) {
    afterwards = takesEffect;
    left.set(statement);
  }

  DataSource source() {
    return proxy(
        DataSource.class,
        (method, arguments) -> {
          Object result = invoke(source, method, arguments);
          return result instanceof Connection real ? breaking(real) : result;
        });
  }

  private Connection breaking(Connection real) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = invoke(real, method, arguments);
          return result instanceof PreparedStatement statement ? breaking(real, statement) : result;
        });
  }

  private PreparedStatement breaking(Connection connection, PreparedStatement real) {
    return proxy(
        PreparedStatement.class,
        (method, arguments) -> {
          boolean executes = method.getName().startsWith("execute");
          boolean breaks = executes && left.getAndUpdate(n -> n < 0 ? n : n - 1) == 0;
          if (breaks && !afterwards) {
            connection.abort(Runnable::run);
          }
          Object result = invoke(real, method, arguments);
          if (breaks) {
            connection.abort(Runnable::run);
            throw new SQLException("An I/O error occurred while sending to the backend", "08006");
          }
          return result;
        });
  }

  /** What is done in place of a method. */
  private interface Call {
    @Nullable Object on(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    InvocationHandler handler = (self, method, arguments) -> call.on(method, arguments);
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object invoke(
      Object on, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }
}
