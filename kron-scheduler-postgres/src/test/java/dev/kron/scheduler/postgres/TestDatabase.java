package dev.kron.scheduler.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PostgreSQL, started once for all tests of a JVM; a database of its own for each test. */
final class TestDatabase {
  private static final class Server {
    static final EmbeddedPostgres POSTGRES = start();

    private static EmbeddedPostgres start() {
      try {
        EmbeddedPostgres started =
            EmbeddedPostgres.builder()
                .setServerConfig("fsync", "off")
                .setServerConfig("max_connections", "60")
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

  private static int databases;

  private final String name;

  private TestDatabase(String name) {
    this.name = name;
  }

  static synchronized TestDatabase create() throws SQLException {
    String name = "test_" + ++databases;
    execute(Server.POSTGRES.getPostgresDatabase(), "CREATE DATABASE " + name);
    return new TestDatabase(name);
  }

  DataSource source() {
    return source("postgres");
  }

  DataSource source(String user) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(url(user));
    return source;
  }

  String url(String user) {
    return "jdbc:postgresql://localhost:"
        + Server.POSTGRES.getPort()
        + "/"
        + name
        + "?connectTimeout=2&user="
        + user;
  }

  void execute(String sql) throws SQLException {
    execute(source(), sql);
  }

  private static void execute(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  long number(String sql) throws SQLException {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Takes a user's connections away and lets in no new ones. */
  void cutOff(String user) throws SQLException {
    execute("ALTER ROLE " + user + " NOLOGIN");
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + user + "'");
  }
}
