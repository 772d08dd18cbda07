package dev.kron.daemon.fleet;

import dev.kron.config.ConfigFiles;
import dev.kron.config.FleetFile;
import dev.kron.config.VariableFile;
import dev.kron.daemon.loop.Errands;
import dev.kron.fleet.FleetStanding;
import dev.kron.fleet.postgres.CurrentSource.Secret;
import dev.kron.fleet.postgres.PostgresDatabase;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The way to a fleet's database. Every method may be called from any thread. */
final class FleetDoor {
  private final FleetFile file;
  private final String url;
  private final ConfigFiles.Settings reading;
  private final Wire renewals;
  private final Wire others;
  private volatile @Nullable PostgresDatabase database;
  private volatile FleetStanding standing;
  private boolean closed;

  FleetDoor(
      FleetFile file,
      FleetFile.Settings settings,
      ConfigFiles.Settings reading,
      Errands errands,
      FleetStanding first) {
    this.file = file;
    this.url = settings.url();
    this.reading = reading;
    this.standing = first;
    this.renewals = new Wire(errands, "fleet-renewals");
    this.others = new Wire(errands, "fleet");
  }

  Wire wire(boolean renewal) {
    return renewal ? renewals : others;
  }

  /** The database, whose tables are made or brought up to date the first time. */
  PostgresDatabase database() throws IOException {
    PostgresDatabase present = database;
    return present == null ? open() : present;
  }

  private synchronized PostgresDatabase open() throws IOException {
    PostgresDatabase present = database;
    if (closed) {
      throw new IOException("the daemon has left this fleet");
    }
    if (present == null) {
      present = PostgresDatabase.open(url, this::secret);
      database = present;
    }
    return present;
  }

  /** Read at each connection: a password that was changed needs no restart. */
  private Secret secret() throws IOException {
    VariableFile profile = file.credentials(reading);
    if (profile == null || !profile.isValid()) {
      throw new IOException(
          profile == null
              ? "fleet.toml is not valid"
              : profile.diagnostics().getFirst().toString());
    }
    return new Secret(value(profile, "PGUSER"), value(profile, "PGPASSWORD"));
  }

  private static String value(VariableFile profile, String name) throws IOException {
    for (String variable : profile.variables()) {
      if (variable.startsWith(name + "=")) {
        return variable.substring(name.length() + 1);
      }
    }
    throw new IOException(profile.file() + ": " + name + " is missing");
  }

  void shows(FleetStanding now) {
    standing = now;
  }

  FleetStanding standing() {
    return standing;
  }

  void close() {
    renewals.close(() -> {});
    others.close(
        () -> {
          synchronized (this) {
            closed = true;
            PostgresDatabase open = database;
            if (open != null) {
              open.close();
            }
          }
        });
  }
}
