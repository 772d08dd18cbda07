package dev.kron.daemon.fleet;

import dev.kron.config.ConfigFiles;
import dev.kron.config.FleetFile;
import dev.kron.config.VariableFile;
import dev.kron.daemon.loop.Errands;
import dev.kron.fleet.FleetStanding;
import dev.kron.fleet.postgres.CurrentSource.Secret;
import dev.kron.fleet.postgres.PostgresDatabase;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The way to a fleet's database. Every method may be called from any thread. */
final class FleetDoor {
  private static final int PLACES = 8;
  private static final int PATIENCE_SECONDS = 10;
  private static final long AWAY_NANOS = 1_000_000_000L;

  private final FleetFile file;
  private final String url;
  private final ConfigFiles.Settings reading;
  private final Wire renewals;
  private final Wire others;
  private volatile @Nullable PostgresDatabase database;
  private volatile FleetStanding standing;
  private final Semaphore places = new Semaphore(PLACES);
  private volatile @Nullable String awayReason;
  private volatile long awayNanos;
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

  /** A question of the node's own. Where its tables are gone, the next one makes them anew. */
  <T> T use(Asking<T> asking) throws IOException {
    PostgresDatabase present = database();
    try {
      return asking.of(present);
    } catch (IOException e) {
      if (PostgresDatabase.isWithoutTables(e)) {
        forget(present);
      }
      throw e;
    }
  }

  private synchronized void forget(PostgresDatabase without) {
    if (without.equals(database)) {
      database = null;
      without.close();
    }
  }

  /** The database, whose tables are made or brought up to date the first time. */
  private PostgresDatabase database() throws IOException {
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

  /** A question or request to the database. */
  interface Asking<T> {
    T of(PostgresDatabase database) throws IOException;
  }

  /**
   * A question of somebody who waits for its answer. Questions of the node go on meanwhile, so only
   * a few may wait, and after a failure nobody tries for a moment.
   */
  <T> T ask(Asking<T> asking) throws IOException {
    String away = awayReason;
    if (away != null && System.nanoTime() - awayNanos < AWAY_NANOS) {
      throw new IOException(away);
    }
    if (!places.tryAcquire()) {
      throw new IOException("many others ask the fleet's database at this moment; try again");
    }
    var answer = new CompletableFuture<T>();
    try {
      others.execute(
          () -> {
            if (!answer.isDone()) {
              answer(asking, answer);
            }
          });
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new IOException(cause == null ? "no answer" : cause.getMessage(), cause);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw new IOException(
          "the fleet's database has not answered for "
              + PATIENCE_SECONDS
              + " s; what was asked for may be done all the same, and can be asked for again with"
              + " the same request id",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the daemon is stopping", e);
    } finally {
      places.release();
    }
  }

  private <T> void answer(Asking<T> asking, CompletableFuture<T> answer) {
    try {
      answer.complete(use(asking));
      awayReason = null;
    } catch (IOException | RuntimeException e) {
      awayNanos = System.nanoTime();
      awayReason = String.valueOf(e.getMessage());
      answer.completeExceptionally(e);
    }
  }

  /** The password file is read at each connection: a password that was changed needs no restart. */
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
