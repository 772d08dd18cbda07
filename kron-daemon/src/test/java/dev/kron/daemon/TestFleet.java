package dev.kron.daemon;

import dev.kron.daemon.api.Caller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Daemons in processes of their own, each with its state directory and its own way to one real
 * PostgreSQL. What their jobs wrote down is the evidence.
 */
final class TestFleet implements AutoCloseable {
  static final int NODES = 3;

  final Path directory;
  final Path evidence;
  final TestPostgres postgres;
  final List<Node> nodes = new ArrayList<>();
  final List<Away> away = new ArrayList<>();
  private final FastClocks clocks = FastClocks.startingNow(1);

  /** A daemon was dead or stood still, epoch millis. */
  record Away(String node, long from, long to) {}

  TestFleet(Path directory, String lease, String krontab) throws IOException {
    this(directory, NODES, lease, krontab);
  }

  TestFleet(Path directory, int count, String lease, String krontab) throws IOException {
    this.directory = directory;
    this.evidence = Files.createFile(directory.resolve("evidence"));
    this.postgres = new TestPostgres(directory);
    for (int i = 1; i <= count; i++) {
      nodes.add(new Node("n" + i, lease, krontab));
    }
  }

  void startAll() throws Exception {
    for (Node node : nodes) {
      node.start();
    }
    for (Node node : nodes) {
      node.awaitIn();
    }
  }

  String sql(String query) throws SQLException {
    return postgres.sql(query);
  }

  void execute(String sql) throws SQLException {
    postgres.execute(sql);
  }

  /** The fleet's time. */
  long clock() throws SQLException {
    return Long.parseLong(sql("SELECT kron.clock()"));
  }

  /** A machine of the fleet. */
  final class Node {
    final String name;
    final Path config;
    final Path state;
    final Relay relay;
    final Path socket;
    private @Nullable DaemonProcess process;
    private String classes = System.getProperty("java.class.path");
    private long gone;

    Node(String name, String lease, String krontab) throws IOException {
      this.name = name;
      this.config = Files.createDirectories(directory.resolve(name).resolve("config"));
      this.state = directory.resolve(name).resolve("state");
      this.socket = directory.resolve(name).resolve("run").resolve("s");
      this.relay = new Relay(postgres.port());
      Path secrets = Files.createDirectories(config.resolve("credentials")).resolve("fleet.env");
      Files.writeString(secrets, "PGUSER=postgres\nPGPASSWORD=postgres\n");
      Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rw-------"));
      Files.writeString(
          config.resolve("fleet.toml"),
          """
          [fleet]
          url = "jdbc:postgresql://127.0.0.1:%d/postgres"
          profile = "fleet"
          node = "%s"
          lease = "%s"
          output = true
          """
              .formatted(relay.port(), name, lease));
      write(krontab);
    }

    /** Replaces the fleet's krontab on this machine. */
    void write(String krontab) throws IOException {
      Path jobs = Files.createDirectories(config.resolve("fleet")).resolve("jobs.kron");
      Files.writeString(jobs, krontab);
    }

    void start() throws IOException {
      process = daemon(state, socket);
      if (gone > 0) {
        back();
      }
    }

    /** A daemon like this one's, with another state directory. */
    DaemonProcess daemon(Path itsState, Path itsSocket) throws IOException {
      return DaemonProcess.of(
          List.of("env", "NODE=" + name),
          classes,
          config,
          itsState,
          clocks,
          "none",
          itsSocket.toString());
    }

    /** From its next start on it has the classes of this archive. */
    void upgrade(Path archive) {
      classes = archive + java.io.File.pathSeparator + System.getProperty("java.class.path");
    }

    DaemonProcess process() {
      return java.util.Objects.requireNonNull(process, "not started");
    }

    Caller caller() {
      return Caller.at(socket);
    }

    void awaitIn() throws Exception {
      process().awaitLine("component=fleet event=joined");
    }

    void kill() {
      gone = System.currentTimeMillis();
      process().close();
    }

    /** SIGTERM; its exit code. */
    int stop() throws InterruptedException {
      gone = System.currentTimeMillis();
      return process().stop();
    }

    void freeze() throws Exception {
      gone = System.currentTimeMillis();
      signal("-STOP");
    }

    void thaw() throws Exception {
      signal("-CONT");
      back();
    }

    private void back() {
      away.add(new Away(name, gone, System.currentTimeMillis()));
      gone = 0;
    }

    void signal(String signal) throws Exception {
      new ProcessBuilder("kill", signal, Long.toString(process().pid())).start().waitFor();
    }
  }

  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      DaemonProcess process = node.process;
      if (process != null) {
        process.close();
      }
      node.relay.close();
    }
    postgres.close();
  }
}
