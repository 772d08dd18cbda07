package dev.kron.daemon;

import dev.kron.testing.TestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A real PostgreSQL that can be killed, started again on the same port, and put back to what it was
 * at an earlier moment.
 */
final class TestPostgres implements AutoCloseable {
  private final Path data;
  private final Path copy;
  private final File log;
  private final int port;
  private EmbeddedPostgres server;

  TestPostgres(Path directory) throws IOException {
    this.data = directory.resolve("postgres");
    this.copy = directory.resolve("postgres-before");
    this.log = directory.resolve("postgres.log").toFile();
    this.server = builder().start();
    this.port = server.getPort();
  }

  private EmbeddedPostgres.Builder builder() throws IOException {
    return TestServer.builder()
        .setDataDirectory(data)
        .setCleanDataDirectory(false)
        .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log))
        .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log))
        .setServerConfig("synchronous_commit", "on")
        .setServerConfig("unix_socket_directories", "")
        .setServerConfig("max_connections", "40");
  }

  int port() {
    return port;
  }

  /**
   * SIGKILL for all of its processes. The server may stay a zombie, as a test before this one may
   * have made this process the parent of orphans, and it reaps none: the next server would take it
   * for one that lives, by the files that name it.
   */
  void kill() throws Exception {
    List<ProcessHandle> all = stopped();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(each -> each.onExit().join());
    Files.delete(data.resolve("postmaster.pid"));
    server.close(); // its lock; there is nothing left to stop
  }

  void restart() throws IOException {
    try {
      server = builder().setPort(port).start();
    } catch (IOException e) {
      throw new IOException(e.getMessage() + ", its log:\n" + Files.readString(log.toPath()), e);
    }
  }

  /** Copies what is on its disk at one moment, while it goes on for all others. */
  void remember() throws Exception {
    List<ProcessHandle> all = stopped();
    try {
      delete(copy);
      run("cp", "-a", data.toString(), copy.toString());
    } finally {
      signal("-CONT", all);
    }
  }

  /** Kills it, and starts it with what was copied. */
  void goBack() throws Exception {
    kill();
    delete(data);
    run("cp", "-a", copy.toString(), data.toString());
    Files.delete(data.resolve("postmaster.pid"));
    restart();
  }

  /** All its processes, stopped; the server first, since it begins others as long as it goes on. */
  private List<ProcessHandle> stopped() throws Exception {
    long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).getFirst());
    ProcessHandle first = ProcessHandle.of(pid).orElseThrow();
    signal("-STOP", List.of(first));
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    FleetTroubles.await("the server to stop", () -> Files.readString(stat).contains(") T "));
    List<ProcessHandle> all = first.descendants().toList();
    signal("-STOP", all);
    all = new ArrayList<>(all);
    all.addFirst(first);
    return all;
  }

  private static void signal(String signal, List<ProcessHandle> all) throws Exception {
    for (ProcessHandle each : all) {
      new ProcessBuilder("kill", signal, Long.toString(each.pid())).start().waitFor();
    }
  }

  private static void run(String... command) throws Exception {
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + code);
    }
  }

  private static void delete(Path path) throws Exception {
    run("rm", "-rf", path.toString());
  }

  private Connection connect() throws SQLException {
    return Objects.requireNonNull(server).getPostgresDatabase().getConnection();
  }

  /** The first value of the first row. */
  String sql(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    }
  }

  /** All rows; what is null is an empty text. */
  List<List<String>> rows(String query) throws SQLException {
    List<List<String>> all = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(Objects.requireNonNullElse(rows.getString(i), ""));
        }
        all.add(row);
      }
    }
    return all;
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
