package dev.kron.fleet.postgres;

import dev.kron.fleet.FleetDatabase;
import dev.kron.fleet.FleetDatabaseContract;
import dev.kron.testing.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

class PostgresDatabaseTest extends FleetDatabaseContract {
  private @Nullable TestDatabase server;
  private @Nullable PostgresDatabase database;

  @Override
  protected FleetDatabase create() throws SQLException, IOException {
    server = HandSetClock.database();
    database = PostgresDatabase.open(server.source());
    return database;
  }

  @AfterEach
  void close() {
    if (database != null) {
      database.close();
    }
  }

  @Override
  protected void setClock(long millis) throws SQLException {
    if (server != null) {
      HandSetClock.set(server, millis);
    }
  }

  @Override
  protected String told(String run) throws SQLException {
    return server == null
        ? ""
        : server.text(
            "SELECT state || ' ' || coalesce(outcome, 'null') FROM kron.run WHERE run = '"
                + run
                + "'");
  }
}
