package dev.kron.scheduler.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/** The tables, made by whoever comes first, under a lock that all of them take. */
final class Schema {
  static final int VERSION = 1;

  /**
   * Shared with nothing else of ours; taken before tables are made and before an instance joins.
   */
  static final long LOCK = 0x6b726f6e_7461736bL;

  private final String name;

  Schema(String name) {
    if (!name.matches("[a-z_][a-z0-9_]{0,40}")) {
      throw new IllegalArgumentException(
          "A schema's name is small letters, digits and _, not \"" + name + "\"");
    }
    this.name = name;
  }

  /** The statements that make the tables, for those who may not make them themselves. */
  String ddl() {
    try (InputStream in =
        Objects.requireNonNull(Schema.class.getResourceAsStream("schema.sql"), "schema.sql")) {
      return in(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** A statement on these tables. */
  String in(String sql) {
    return sql.replace("$schema", name);
  }

  /** Waits for whoever makes tables or joins, until the end of the transaction. */
  void lock(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
    }
  }

  /** Makes what is missing, in a transaction that holds the lock. */
  void prepare(Connection connection, boolean create) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!exists(statement)) {
        if (!create) {
          throw new SQLException(
              "there is no table "
                  + name
                  + ".scheduler_version, and making it was not allowed; PostgresTaskStore.ddl()"
                  + " prints what a database administrator has to execute");
        }
        statement.execute(ddl());
      }
      try (ResultSet row =
          statement.executeQuery(in("SELECT max(version) FROM $schema.scheduler_version"))) {
        row.next();
        if (row.getInt(1) != VERSION) {
          throw new SQLException(
              "the tables in schema "
                  + name
                  + " are of version "
                  + row.getInt(1)
                  + ", and this program knows version "
                  + VERSION
                  + "; update the program");
        }
      }
    }
  }

  private boolean exists(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(in("SELECT to_regclass('$schema.scheduler_version') IS NOT NULL"))) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
