package dev.kron.fleet.postgres;

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

  private static final String TEMPLATE = "fleet_template";
  private static int databases;

  private final String name;

  private TestDatabase(String name) {
    this.name = name;
  }

  /** One without tables. */
  static synchronized TestDatabase empty() throws SQLException {
    String name = "test_" + ++databases;
    execute(Server.POSTGRES.getPostgresDatabase(), "CREATE DATABASE " + name);
    return new TestDatabase(name);
  }

  /** One with tables, whose clock is set by hand. */
  static synchronized TestDatabase withClock() throws SQLException, IOException {
    if (number(Server.POSTGRES.getPostgresDatabase(), hasTemplate()) == 0) {
      execute(Server.POSTGRES.getPostgresDatabase(), "CREATE DATABASE " + TEMPLATE);
      var template = new TestDatabase(TEMPLATE);
      PostgresDatabase.open(template.source("postgres")).close();
      template.execute(
          "CREATE TABLE kron.hand (millis bigint); INSERT INTO kron.hand VALUES (0);"
              + " CREATE OR REPLACE FUNCTION kron.clock() RETURNS bigint LANGUAGE sql VOLATILE"
              + " AS 'SELECT millis FROM kron.hand'");
    }
    String name = "test_" + ++databases;
    execute(
        Server.POSTGRES.getPostgresDatabase(), "CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE);
    return new TestDatabase(name);
  }

  private static String hasTemplate() {
    return "SELECT count(*) FROM pg_database WHERE datname = '" + TEMPLATE + "'";
  }

  DataSource source(String user) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(
        "jdbc:postgresql://localhost:"
            + Server.POSTGRES.getPort()
            + "/"
            + name
            + "?connectTimeout=2&user="
            + user);
    return source;
  }

  DataSource source() {
    return source("postgres");
  }

  void setClock(long millis) throws SQLException {
    execute("UPDATE kron.hand SET millis = " + millis);
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

  private static long number(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  String name() {
    return name;
  }

  /** Waits until somebody waits for a lock. */
  void awaitWaiting() throws SQLException {
    long end = System.nanoTime() + 60_000_000_000L;
    while (text("SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0")) {
      if (System.nanoTime() > end) {
        throw new AssertionError("nobody waits for a lock");
      }
      Thread.onSpinWait();
    }
  }

  String text(String sql) throws SQLException {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? String.valueOf(row.getString(1)) : "null";
    }
  }
}
