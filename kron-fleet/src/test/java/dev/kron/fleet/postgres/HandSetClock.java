package dev.kron.fleet.postgres;

import dev.kron.testing.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;

/** Databases with a fleet's tables, whose clock tests set by hand. */
final class HandSetClock {
  private HandSetClock() {}

  static TestDatabase database() throws SQLException, IOException {
    return TestDatabase.copyOf("fleet_template", HandSetClock::prepare);
  }

  private static void prepare(TestDatabase template) throws SQLException, IOException {
    PostgresDatabase.open(template.source()).close();
    template.execute(
        "CREATE TABLE kron.hand (millis bigint); INSERT INTO kron.hand VALUES (0);"
            + " CREATE OR REPLACE FUNCTION kron.clock() RETURNS bigint LANGUAGE sql VOLATILE"
            + " AS 'SELECT millis FROM kron.hand'");
  }

  static void set(TestDatabase database, long millis) throws SQLException {
    database.execute("UPDATE kron.hand SET millis = " + millis);
  }
}
