package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.daemon.Daemon;
import dev.kron.daemon.Settings;
import dev.kron.daemon.api.ApiSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A real daemon on a real socket, for as long as a test needs it. */
final class RunningDaemon implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Path directory;
  private final Path krontab;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final Settings settings;
  private FutureTask<Integer> task;

  RunningDaemon(Path directory, @Nullable String readers, String... lines) throws Exception {
    this.directory = directory;
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path config =
        Files.createDirectory(
            directory.resolve("config"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    this.krontab = config.resolve("shop");
    write(lines);
    service(
        "web",
        """
        [service]
        exec = "echo hello; exec sleep 1000"
        shell = true
        [hooks]
        reload = ["echo", "read again"]
        onfailure = "/bin/echo web is down"
        """);
    service("db", "[service]\nexec = \"sleep 1000\"\nautostart = false\n");
    service(
        "crashy",
        """
        [service]
        exec = "exit 3"
        shell = true
        autostart = false
        [lifecycle]
        restart_delay_ms = 1
        max_restarts = 2
        """);
    settings =
        Settings.builder(List.of(config), directory.resolve("state"))
            .stopTimeout(Duration.ofSeconds(30))
            .api(new ApiSettings(socket(), null, readers, null, ApiSettings.NO_PORT, null))
            .build();
    task = begin();
    awaitAnswer();
  }

  private FutureTask<Integer> begin() {
    var err = new PrintStream(log, true, StandardCharsets.UTF_8);
    var begun = new FutureTask<>(() -> new Daemon(settings, err, err).run());
    Thread.ofPlatform().daemon().start(begun);
    return begun;
  }

  private void awaitAnswer() throws Exception {
    await("the daemon answers", () -> kron("status").code() == ExitCode.OK);
  }

  /** Another one, on what the one that ended has left. */
  void again() throws Exception {
    task = begin();
    awaitAnswer();
  }

  Path socket() {
    return directory.resolve("run").resolve("krond.sock");
  }

  void write(String... lines) throws IOException {
    Files.writeString(krontab, String.join("\n", lines) + "\n");
    Files.setPosixFilePermissions(krontab, PosixFilePermissions.fromString("rw-------"));
  }

  void service(String name, String text) throws IOException {
    Path file = krontab.resolveSibling(name + ".toml");
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** A credential profile beside the service files. */
  void credentials(String profile, String text) throws IOException {
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Path directory = Files.createDirectory(krontab.resolveSibling("credentials"), mode);
    Path file = Files.writeString(directory.resolve(profile + ".env"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  Result kron(String... words) {
    return call().run(words);
  }

  Call call() {
    return new Call().online().with("KRON_SOCKET", socket().toString());
  }

  void await(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    synchronized (this) {
      while (!condition.call()) {
        if (System.nanoTime() > end || task.isDone()) {
          fail("not: " + what + "\n" + log.toString(StandardCharsets.UTF_8));
        }
        wait(10);
      }
    }
  }

  int awaitEnd() {
    try {
      return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Ends the daemon with all that it or an earlier one started. */
  @Override
  public void close() {
    if (task.isDone() && isAnythingLeft()) {
      task = begin(); // it left its services to the next one
      long answer = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (kron("status").code() != ExitCode.OK && System.nanoTime() < answer) {
        Thread.onSpinWait();
      }
    }
    if (!task.isDone()) {
      Result result = kron("shutdown", "--kill");
      assertEquals(ExitCode.OK, result.code(), result.err());
      assertEquals(0, awaitEnd());
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (isAnythingLeft() && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertFalse(isAnythingLeft(), "a process is left behind");
  }

  /** Whether a keeper lives: its words name its run's directory. */
  private boolean isAnythingLeft() {
    String state = directory.resolve("state") + "/";
    return ProcessHandle.allProcesses()
        .anyMatch(it -> it.info().commandLine().orElse("").contains(state));
  }
}
