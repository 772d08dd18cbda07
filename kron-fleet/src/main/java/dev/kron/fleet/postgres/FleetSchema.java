package dev.kron.fleet.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/** The tables, made or brought to the present version by whoever comes first, under a lock. */
final class FleetSchema {
  static final int VERSION = 1;

  private static final long LOCK = 0x6b726f6e_666c6565L;
  private static final String NOT_ALLOWED = "42501";

  private FleetSchema() {}

  /** The statements that make the tables, for those who may not make them themselves. */
  static String ddl() {
    StringBuilder all = new StringBuilder();
    for (int version = 1; version <= VERSION; version++) {
      all.append(step(version));
    }
    return all.toString();
  }

  /** The statements that lead from the version before to this one. */
  private static String step(int version) {
    String name = "schema-" + version + ".sql";
    try (InputStream in =
        Objects.requireNonNull(FleetSchema.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** Makes what is missing, in one transaction; whoever comes meanwhile waits for its end. */
  static void prepare(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // The lock comes first: what was looked up before it would be remembered by the server.
      statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
      int version = version(statement);
      requireKnown(version);
      for (int next = version + 1; next <= VERSION; next++) {
        statement.execute(step(next));
      }
      if (!found(statement, "SELECT EXISTS (SELECT FROM kron.fleet)")) {
        statement.execute("INSERT INTO kron.fleet (generation) VALUES (1)"); // somebody emptied it
      }
    } catch (SQLException refused) {
      if (NOT_ALLOWED.equals(refused.getSQLState())) {
        throw new SQLException(
            "the fleet's tables are missing or old, and this user may not make them; have a"
                + " database administrator execute what `kron fleet schema` prints",
            refused.getSQLState(),
            refused);
      }
      throw refused;
    }
  }

  /** Tables that a later version has changed are not written any more. */
  static void requireKnown(int version) throws SQLException {
    if (version > VERSION) {
      throw new SQLException(
          "the fleet's tables are of version "
              + version
              + ", and this program knows version "
              + VERSION
              + "; update the program");
    }
  }

  private static boolean found(Statement statement, String question) throws SQLException {
    try (ResultSet row = statement.executeQuery(question)) {
      return row.next() && row.getBoolean(1);
    }
  }

  private static int version(Statement statement) throws SQLException {
    if (!found(statement, "SELECT to_regclass('kron.schema_version') IS NOT NULL")) {
      return 0;
    }
    try (ResultSet row = statement.executeQuery("SELECT max(version) FROM kron.schema_version")) {
      row.next();
      int version = row.getInt(1);
      if (row.wasNull()) {
        throw new SQLException(
            "the table kron.schema_version is empty; INSERT INTO kron.schema_version (version)"
                + " VALUES ("
                + VERSION
                + ") where the tables are this program's, or restore a backup");
      }
      return version;
    }
  }
}
