package dev.kron.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A PostgreSQL of one's own, as durable as the one of a production. */
final class PostgresServer implements AutoCloseable {
  static final String USER = "postgres";

  private final EmbeddedPostgres server;
  private int databases;

  PostgresServer(Path directory) throws IOException, SQLException {
    server =
        EmbeddedPostgres.builder()
            .setDataDirectory(directory.resolve("data"))
            .setServerConfig("max_connections", "100")
            // The package is made for tests, and turns all three off.
            .setServerConfig("fsync", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("shared_preload_libraries", "pg_stat_statements")
            .start();
    // Whoever counts statements switches it on for as long.
    execute("ALTER SYSTEM SET pg_stat_statements.track = 'none'");
    execute("SELECT pg_reload_conf()");
  }

  String describe() throws SQLException {
    return text(
        "SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync '"
            + " || current_setting('fsync') || ', full_page_writes '"
            + " || current_setting('full_page_writes') || ', synchronous_commit '"
            + " || current_setting('synchronous_commit')");
  }

  /** Makes an empty database. */
  String newDatabase() throws SQLException {
    String name = "bench_" + ++databases;
    execute("CREATE DATABASE " + name);
    return name;
  }

  /** Where a database of it is. */
  String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/" + database;
  }

  void execute(String sql) throws SQLException {
    execute(USER, sql);
  }

  /** The same in one of its databases. */
  void execute(String database, String sql) throws SQLException {
    try (Connection connection = server.getDatabase(USER, database).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String text(String sql) throws SQLException {
    return text(USER, sql);
  }

  /** The first column of the first row, from one of its databases. */
  String text(String database, String sql) throws SQLException {
    try (Connection connection = server.getDatabase(USER, database).getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
