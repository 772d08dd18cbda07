package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.json.Json;
import dev.kron.testing.TestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user's way through a fleet: two daemons, started as users start them, a real PostgreSQL, and
 * the commands; one of them is killed while it runs something, and its machine is taken out.
 */
@Timeout(600)
final class FleetCommandTest {
  private static final long PATIENCE_NANOS = 90_000_000_000L;

  @TempDir Path directory;

  /** A machine. */
  private static final class Node implements AutoCloseable {
    final Path config;
    private final Path home;
    private @Nullable Process process;

    Node(Path home, int port) throws IOException {
      this.home = Files.createDirectories(home);
      this.config = Files.createDirectories(home.resolve("config"));
      mode(home, "rwx------");
      mode(config, "rwx------");
      Path credentials = Files.createDirectory(config.resolve("credentials"));
      mode(credentials, "rwx------");
      write(credentials.resolve("fleet.env"), "PGUSER=postgres\nPGPASSWORD=postgres\n");
      write(
          config.resolve("fleet.toml"),
          """
          [fleet]
          url = "jdbc:postgresql://127.0.0.1:%s/postgres"
          profile = "fleet"
          node = "%s"
          lease = "3s"
          """
              .formatted(port, home.getFileName()));
      Path krontabs = Files.createDirectory(config.resolve("fleet"));
      mode(krontabs, "rwx------");
      write(
          krontabs.resolve("shop.kron"),
          """
          @manual name=hand command=/bin/true
          @manual name=long command="/bin/sleep 600"
          0 3 * * * @win(after,1h) name=night command=/bin/true
          """);
    }

    private static void write(Path file, String text) throws IOException {
      Files.writeString(file, text);
      mode(file, "rw-------");
    }

    private static void mode(Path file, String mode) throws IOException {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    void start() throws IOException {
      File log = home.resolve("log").toFile();
      process =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-Xmx256m",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "dev.kron.cli.Main",
                  "run",
                  config.toString(),
                  "--state",
                  home.resolve("state").toString(),
                  "--socket",
                  socket())
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
              .redirectErrorStream(true)
              .start();
    }

    private String socket() {
      return home.resolve("run").resolve("s").toString();
    }

    Result kron(String... words) {
      return new Call().online().with("KRON_SOCKET", socket()).run(words);
    }

    /** What a command prints, which has to succeed. */
    String done(String... words) {
      Result result = kron(words);
      assertEquals(ExitCode.OK, result.code(), result.out() + result.err());
      return result.out();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
      Process present = process;
      if (present != null) {
        present.destroyForcibly().waitFor();
      }
    }

    @Override
    public void close() {
      Process present = process;
      if (present != null && present.isAlive()) {
        kron("shutdown", "--kill");
        present.destroyForcibly();
      }
    }
  }

  @Test
  void directsTheFleetFromAnyOfItsNodes() throws Exception {
    try (var postgres = TestServer.builder().start();
        var web = new Node(directory.resolve("web"), postgres.getPort());
        var db = new Node(directory.resolve("db"), postgres.getPort())) {
      web.done("lint", web.config.toString());
      Result next = Call.kron("next", "--file", web.config.toString());
      assertTrue(next.out().contains("night"), next.toString());
      makesTheTables(postgres, web.done("fleet", "schema"));
      web.start();
      db.start();
      await("two nodes", () -> web.done("fleet", "status").contains("2 live nodes"));
      await("two nodes", () -> db.done("fleet", "status").contains("2 live nodes"));
      looks(web);
      joinsAgain(web);
      asks(web, db);
      takesOut(web, db);
    }
  }

  /** As an administrator does where the nodes' role may not. */
  private static void makesTheTables(EmbeddedPostgres postgres, String tables) throws Exception {
    try (var connection = postgres.getPostgresDatabase().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE made");
    }
    try (var connection = postgres.getDatabase("postgres", "made").getConnection();
        var statement = connection.createStatement()) {
      statement.execute(tables);
      try (var row = statement.executeQuery("SELECT generation FROM kron.fleet")) {
        assertTrue(row.next() && row.getLong(1) == 1, tables);
      }
    }
  }

  private static void looks(Node web) throws Exception {
    assertTrue(web.done("fleet", "status").startsWith("node web ("));
    assertEquals(
        2, web.done("fleet", "nodes").lines().filter(line -> line.contains(" live ")).count());
    await("three jobs", () -> web.done("fleet", "jobs").lines().count() == 4);
    assertTrue(web.done("fleet", "why", "night", "tomorrow").contains("claim in this order"));
    assertTrue(web.done("why", "night").contains("one node runs each period"));
    assertTrue(web.done("show", "night").contains("on=any"));
    assertTrue(web.done("jobs").contains("night"));
    assertEquals("no such runs\n", web.done("fleet", "runs"));
    for (List<String> words :
        List.of(
            List.of("status"),
            List.of("nodes"),
            List.of("jobs"),
            List.of("jobs", "night"),
            List.of("runs"),
            List.of("why", "night"))) {
      var line = new ArrayList<>(List.of("fleet"));
      line.addAll(words);
      line.addAll(List.of("--format", "json"));
      assertFalse(Json.parse(web.done(line.toArray(String[]::new))).isNull());
    }
    assertEquals(ExitCode.USAGE, web.kron("fleet", "dance").code());
    assertEquals(ExitCode.USAGE, web.kron("fleet", "trigger").code());
    assertEquals(ExitCode.REFUSED, web.kron("fleet", "why", "nobody").code());
    assertEquals(ExitCode.REFUSED, web.kron("fleet", "adopt").code());
  }

  private static void joinsAgain(Node web) throws Exception {
    Path file = web.config.resolve("fleet.toml");
    Files.writeString(file, Files.readString(file) + "labels = [\"east\"]\n");
    String told = "fleet: this machine leaves its fleet and joins again as node web\n1 change";
    assertTrue(web.done("reload", "--dry-run").startsWith(told));
    assertEquals(told + "\n", web.done("reload"));
    assertEquals("nothing changes\n", web.done("reload"));
    await("it to be back", () -> web.done("fleet", "nodes").contains(" east "));
    await("two nodes", () -> web.done("fleet", "status").contains("2 live nodes"));
  }

  private static void asks(Node web, Node db) throws Exception {
    String begun = web.done("fleet", "trigger", "hand", "--node", "db", "--request", "once");
    assertTrue(begun.endsWith(" on node db\n"), begun);
    assertEquals(begun, db.done("fleet", "trigger", "hand", "--node", "db", "--request", "once"));
    await("its end", () -> web.done("fleet", "runs", "hand").contains("exit 0, by hand"));
    assertEquals(2, web.done("fleet", "runs", "hand").lines().count());
    Result refused = web.kron("trigger", "hand");
    assertEquals(ExitCode.REFUSED, refused.code());
    assertTrue(refused.err().contains("kron fleet trigger"), refused.err());
    web.done("fleet", "suspend", "night");
    assertTrue(db.done("fleet", "jobs", "night").contains("suspended"));
    await("the other to know", () -> db.done("jobs", "night").contains("suspended"));
    db.done("fleet", "resume", "night");
    assertTrue(web.done("fleet", "jobs", "night").contains("ready"));
  }

  private static void takesOut(Node web, Node db) throws Exception {
    String run = web.done("fleet", "trigger", "long", "--node", "db").split(" ")[1];
    await("it to run", () -> db.done("jobs", "long").contains("running"));
    assertTrue(web.kron("fleet", "remove", "db").err().contains("lives"));
    assertEquals(ExitCode.REFUSED, web.kron("fleet", "release", run).code());
    db.kill();
    await(
        "it to be lost",
        () -> {
          Result status = web.kron("fleet", "status");
          return status.code() == ExitCode.REFUSED && status.out().contains("is held: run " + run);
        });
    assertTrue(web.done("fleet", "jobs", "long").contains("held"));
    web.done("fleet", "remove", "db");
    await("it to hold nothing", () -> web.kron("fleet", "status").code() == ExitCode.OK);
    assertTrue(web.done("fleet", "runs", "long").contains("released"));

    db.start();
    await("it to stay out", () -> db.kron("fleet", "status").out().contains("was removed"));
    assertEquals(ExitCode.REFUSED, db.kron("fleet", "status").code());
    db.done("stop", "long");
    db.done("fleet", "adopt");
    await("it to join anew", () -> db.kron("fleet", "status").code() == ExitCode.OK);
    await(
        "three nodes",
        () ->
            web.done("fleet", "nodes").lines().filter(line -> line.startsWith("db")).count() == 2);
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    AssertionError last = null;
    while (System.nanoTime() < deadline) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (AssertionError notYet) {
        last = notYet;
      }
      LockSupport.parkNanos(50_000_000L);
    }
    fail("not within a minute and a half: " + what, last);
  }
}
