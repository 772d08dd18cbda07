package dev.kron.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PostgreSQL, started once for all tests of a JVM; a database of its own for each test. */
public final class TestDatabase {
  private static final class Server {
    static final EmbeddedPostgres POSTGRES = start();

    private static EmbeddedPostgres start() {
      try {
        EmbeddedPostgres started =
            TestServer.builder()
                .setServerConfig("max_connections", "60")
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(started)));
        return started;
      } catch (IOException cannot) {
        throw new UncheckedIOException(cannot);
      }
    }

    private static void close(EmbeddedPostgres started) {
      try {
        started.close();
      } catch (IOException gone) {
        // It ends with its parent.
      }
    }
  }

  /** Makes what is in all databases of one kind. */
  public interface Preparation {
    void prepare(TestDatabase template) throws SQLException, IOException;
  }

  private static final Set<String> TEMPLATES = new HashSet<>();
  private static int databases;

  private final String name;

  private TestDatabase(String name) {
    this.name = name;
  }

  /** An empty database. */
  public static synchronized TestDatabase create() throws SQLException {
    return create("test_" + ++databases, "");
  }

  /** A copy of a database that is prepared once; its name tells its kind from others. */
  public static synchronized TestDatabase copyOf(String template, Preparation preparation)
      throws SQLException, IOException {
    if (!TEMPLATES.contains(template)) {
      preparation.prepare(create(template, ""));
      TEMPLATES.add(template);
    }
    return create("test_" + ++databases, " TEMPLATE " + template);
  }

  private static TestDatabase create(String name, String like) throws SQLException {
    execute(Server.POSTGRES.getPostgresDatabase(), "CREATE DATABASE " + name + like);
    return new TestDatabase(name);
  }

  public String name() {
    return name;
  }

  public DataSource source() {
    return source("postgres");
  }

  public DataSource source(String user) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(url(user));
    return source;
  }

  public String url(String user) {
    return "jdbc:postgresql://localhost:"
        + Server.POSTGRES.getPort()
        + "/"
        + name
        + "?connectTimeout=2&user="
        + user;
  }

  public void execute(String sql) throws SQLException {
    execute(source(), sql);
  }

  private static void execute(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first value of the first row, as a number. */
  public long number(String sql) throws SQLException {
    return Long.parseLong(text(sql));
  }

  /** The first value of the first row; {@code "null"} where there is none. */
  public String text(String sql) throws SQLException {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? String.valueOf(row.getString(1)) : "null";
    }
  }

  /** Takes a user's connections away and lets in no new ones. */
  public void cutOff(String user) throws SQLException {
    execute("ALTER ROLE " + user + " NOLOGIN");
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + user + "'");
  }

  /** Waits until somebody waits for a lock. */
  public void awaitWaiting() throws SQLException {
    long end = System.nanoTime() + 60_000_000_000L;
    while (number("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0) {
      if (System.nanoTime() > end) {
        throw new AssertionError("nobody waits for a lock");
      }
      Thread.onSpinWait();
    }
  }
}
