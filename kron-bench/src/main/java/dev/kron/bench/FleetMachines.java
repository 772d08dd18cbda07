package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Daemons that share a schedule, and each with a directory of its own; or one without a fleet. */
final class FleetMachines implements AutoCloseable {
  private static final int A_FILE = 5_000;
  private static final int PATIENCE_SECONDS = 120;

  /** What a machine has as long as it has no other jobs. */
  private static final List<String> NO_JOBS = List.of("@manual name=none command=/bin/true");

  private final List<CronDaemon.Running> nodes = new ArrayList<>();
  private final List<Path> krontabs = new ArrayList<>();

  List<CronDaemon.Running> nodes() {
    return nodes;
  }

  /** Starts the nodes of a fleet, and returns when they take part. */
  static FleetMachines fleet(
      KrondDaemon krond, Path scratch, int count, PostgresServer server, String database)
      throws IOException, InterruptedException, SQLException {
    var machines = new FleetMachines();
    try {
      for (int i = 1; i <= count; i++) {
        Path home = Files.createDirectories(scratch.resolve("n" + i));
        Path config = Files.createDirectories(home.resolve("config"));
        Path secrets = Files.createDirectories(config.resolve("credentials"));
        mode(secrets, "rwx------");
        Path profile = secrets.resolve("fleet.env");
        Files.writeString(
            profile,
            "PGUSER=" + PostgresServer.USER + "\nPGPASSWORD=" + PostgresServer.USER + "\n");
        mode(profile, "rw-------");
        Files.writeString(
            config.resolve("fleet.toml"),
            """
            [fleet]
            url = "%s"
            profile = "fleet"
            node = "n%d"
            """
                .formatted(server.url(database), i));
        machines.start(krond, home, Files.createDirectories(config.resolve("fleet")));
      }
      awaitVotes(server, database, count);
      return machines;
    } catch (Throwable failed) {
      machines.close();
      throw failed;
    }
  }

  private void start(KrondDaemon krond, Path home, Path krontab)
      throws IOException, InterruptedException {
    write(krontab, NO_JOBS);
    krontabs.add(krontab);
    nodes.add(krond.start(home, home.resolve("config"), List.of()));
  }

  /** One machine that knows of no other. */
  static FleetMachines alone(KrondDaemon krond, Path scratch)
      throws IOException, InterruptedException {
    var machines = new FleetMachines();
    machines.start(krond, scratch, Files.createDirectories(scratch.resolve("config")));
    return machines;
  }

  /** Gives every machine other jobs. */
  void load(List<String> lines) throws IOException, InterruptedException {
    for (Path krontab : krontabs) {
      write(krontab, lines);
    }
    for (CronDaemon.Running node : nodes) {
      Child.run(krontabs.getFirst(), List.of("kill", "-HUP", Long.toString(node.process().pid())));
    }
  }

  /** Waits until the nodes of a fleet have said which jobs they have, all together. */
  static void awaitVotes(PostgresServer server, String database, long all)
      throws IOException, InterruptedException, SQLException {
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (votes(server, database) != all) {
      if (System.nanoTime() > giveUp) {
        throw new IOException("the fleet knows only " + votes(server, database) + " entries");
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private static long votes(PostgresServer server, String database) throws SQLException {
    String made = server.text(database, "SELECT to_regclass('kron.vote') IS NOT NULL");
    return made.equals("t")
        ? Long.parseLong(server.text(database, "SELECT count(*) FROM kron.vote"))
        : 0;
  }

  private static void write(Path directory, List<String> lines) throws IOException {
    for (int from = 0; from < lines.size(); from += A_FILE) {
      Files.write(
          directory.resolve("bench" + from / A_FILE + ".kron"),
          lines.subList(from, Math.min(lines.size(), from + A_FILE)));
    }
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Override
  public void close() {
    nodes.forEach(CronDaemon.Running::close);
  }
}
