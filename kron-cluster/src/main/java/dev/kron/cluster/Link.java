package dev.kron.cluster;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is kept and on which nothing waits for long: a database that does not answer is
 * one that is not there, and says so within seconds. After a failure the next call has a new one.
 */
public final class Link implements AutoCloseable {
  private static final int STATEMENT_MILLIS = 2000;
  private static final int TRANSACTION_MILLIS = 60_000;
  private static final Executor AT_ONCE = Runnable::run;

  private final DataSource source;
  private final boolean byKey;
  private @Nullable Connection kept;
  private int limitMillis;
  private int hostsNetworkMillis;
  private int hostsIsolation;

  public Link(DataSource source) {
    this(source, false);
  }

  /**
   * @param byKey whether all that is asked is found by keys, each once: then the server does not
   *     read whole tables instead, which it would do for a thousand keys of some ten thousand rows,
   *     and does not keep rows in case that one is asked for again
   */
  public Link(DataSource source, boolean byKey) {
    this.source = source;
    this.byKey = byKey;
  }

  /** Work on a connection. */
  @FunctionalInterface
  public interface Work<T extends @Nullable Object> {
    T on(Connection connection) throws SQLException;
  }

  /** Each statement is a transaction of its own, and takes two seconds at most. */
  public <T extends @Nullable Object> T each(Work<T> work) throws IOException {
    return call(work, true, STATEMENT_MILLIS);
  }

  /** All statements are one transaction; for what is done rarely and may take a minute. */
  public <T extends @Nullable Object> T transaction(Work<T> work) throws IOException {
    return call(
        connection -> {
          T result = work.on(connection);
          connection.commit();
          return result;
        },
        false,
        TRANSACTION_MILLIS);
  }

  private synchronized <T extends @Nullable Object> T call(
      Work<T> work, boolean autoCommit, int patienceMillis) throws IOException {
    try {
      Connection connection = connection(patienceMillis);
      connection.setAutoCommit(autoCommit);
      return work.on(connection);
    } catch (SQLException failed) {
      drop();
      throw new IOException("The database says: " + told(failed), failed);
    } catch (Throwable failed) {
      drop();
      throw failed;
    }
  }

  /** What a driver says of a connection that failed may leave out why: a name, a time limit. */
  private static String told(SQLException failed) {
    String message = String.valueOf(failed.getMessage());
    return failed.getCause() instanceof IOException cause
            && !message.contains(String.valueOf(cause.getMessage()))
        ? message + " (" + cause + ")"
        : message;
  }

  private Connection connection(int patienceMillis) throws SQLException {
    Connection connection = kept;
    if (connection == null) {
      connection = source.getConnection();
      kept = connection;
      limitMillis = 0;
      hostsNetworkMillis = connection.getNetworkTimeout();
      connection.setNetworkTimeout(AT_ONCE, patienceMillis + 1000);
      connection.setAutoCommit(true);
      // Whoever waited for a lock has to see what its holder did, whatever the host's default is.
      hostsIsolation = connection.getTransactionIsolation();
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      readWhole(connection, "off");
    }
    if (limitMillis != patienceMillis) {
      connection.setAutoCommit(true);
      // The network's limit is a little longer: where it can, the database says what it was.
      connection.setNetworkTimeout(AT_ONCE, patienceMillis + 1000);
      limit(connection, Integer.toString(patienceMillis));
      limitMillis = patienceMillis;
    }
    return connection;
  }

  private void readWhole(Connection connection, String word) throws SQLException {
    if (byKey) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET enable_seqscan TO " + word + "; SET enable_memoize TO " + word);
      }
    }
  }

  private static void limit(Connection connection, String millis) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET statement_timeout TO " + millis + "; SET lock_timeout TO " + millis);
    }
  }

  /**
   * A connection that failed is closed, not given back: a pool's next borrower would suffer from
   * it.
   */
  private void drop() {
    Connection broken = kept;
    kept = null;
    if (broken != null) {
      discard(broken);
    }
  }

  /** A pool that is not given a connection back runs dry. */
  private static void discard(Connection broken) {
    try (broken) {
      broken.abort(AT_ONCE);
    } catch (SQLException | RuntimeException gone) {
      // It is gone in any case.
    }
  }

  @Override
  public synchronized void close() {
    Connection open = kept;
    kept = null;
    if (open != null) {
      try {
        open.setAutoCommit(true);
        limit(open, "DEFAULT");
        readWhole(open, "DEFAULT");
        open.setTransactionIsolation(hostsIsolation);
        open.setNetworkTimeout(AT_ONCE, hostsNetworkMillis);
        open.close();
      } catch (SQLException | RuntimeException broken) {
        discard(open);
      }
    }
  }
}
