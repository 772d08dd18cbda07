package dev.kron.daemon;

import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.loop.Clocks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The training run for the AOT cache, when the program is built. The classes that a daemon loads
 * here come ready-made from the cache later, so that the first job starts as quickly as any other.
 * It is a real daemon with real jobs and services, whose clock is just before a full minute.
 */
public final class DaemonTraining {
  private static final long GIVE_UP_SECONDS = 60;
  private static final long BEFORE_THE_MINUTE_MILLIS = 4_000;
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final int JOBS = 8;
  private static final int RESTARTS = 3;

  private final Path directory;
  private final Path socket;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private volatile @Nullable String failure;
  private final long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(GIVE_UP_SECONDS);

  private DaemonTraining(Path directory) {
    this.directory = directory;
    this.socket = directory.resolve("krond.sock");
  }

  /** Runs the training; the exit code is 0 after a clean stop. */
  public static void main(String[] ignored) throws Exception {
    Path directory =
        Files.createTempDirectory(
            "krond-training",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    int code;
    try {
      code = new DaemonTraining(directory).run();
    } finally {
      clear(directory);
    }
    System.exit(code);
  }

  private int run() throws IOException, InterruptedException {
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(config.resolve("jobs"), jobs());
    Files.writeString(
        config.resolve("steady.toml"), "[service]\nexec = [\"/bin/sleep\", \"60\"]\n");
    Files.writeString(config.resolve("shaky.toml"), shaky());
    var settings =
        Settings.builder(List.of(config), directory.resolve("state"))
            .onFailure(List.of("/bin/true"))
            .api(ApiSettings.at(socket))
            .build();
    Ports machine = Ports.system();
    var ports =
        new Ports(
            beforeTheMinute(machine.clocks()),
            machine.disk(),
            machine.processes(),
            machine.users(),
            machine.systemLog(),
            machine.environment());
    var out = new PrintStream(log, true, StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("training").start(this::use);
    int code = new Daemon(settings, ports, out, out).run();
    if (code == Daemon.OK && failure == null) {
      return 0;
    }
    System.err.println(said() + failure);
    return 1;
  }

  private static String jobs() {
    var text = new StringBuilder();
    for (int i = 0; i < JOBS; i++) {
      text.append("0 0 * * * @policy(deadline=1h) name=job").append(i);
      text.append(" shell=true command=\"echo a line; exit ").append(i % 2).append("\"\n");
    }
    text.append("0 0 * * * @policy(deadline=1h) @win(after,3s) @dist(normal) name=plain");
    text.append(" timeout=1h stdout=inherit command=/bin/true\n");
    return text.toString();
  }

  private static String shaky() {
    return """
    [service]
    exec = ["/bin/sh", "-c", "sleep 0.1; exit 1"]
    [dependencies]
    requires = ["steady"]
    [lifecycle]
    restart_delay_ms = 0
    restart_delay_max_ms = 1
    [health]
    exec = "true"
    """;
  }

  /** A clock that is just before midnight, when the jobs are due. */
  private static Clocks beforeTheMinute(Clocks real) {
    long aheadMillis =
        DAY_MILLIS - Math.floorMod(real.wallMillis(), DAY_MILLIS) - BEFORE_THE_MINUTE_MILLIS;
    return new Clocks() {
      @Override
      public long wallMillis() {
        return real.wallMillis() + aheadMillis;
      }

      @Override
      public Instant wallTime() {
        return real.wallTime().plusMillis(aheadMillis);
      }

      @Override
      public long bootNanos() {
        return real.bootNanos();
      }
    };
  }

  private void use() {
    try {
      work();
    } catch (TimeoutException e) {
      failure = e.getMessage();
    }
    ask("POST /v1/shutdown?jobs=kill");
  }

  /** Uses the daemon as people do. */
  private void work() throws TimeoutException {
    await("event=ready", 1);
    await("event=run_ended", JOBS + 1);
    await("event=restart_in", RESTARTS);
    for (String path :
        List.of("/v1/status", "/v1/jobs", "/v1/runs", "/v1/services", "/v1/graph", "/metrics")) {
      ask("GET " + path);
    }
    ask("POST /v1/jobs/plain/trigger");
    await("event=run_ended", JOBS + 2);
    ask("POST /v1/services/steady/restart");
    await("event=running instance=steady@0", 2);
    ask("POST /v1/reload");
  }

  private void await(String event, int times) throws TimeoutException {
    while (said().split(event, -1).length <= times) {
      if (System.nanoTime() > giveUp) {
        throw new TimeoutException("no " + event);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private String said() {
    return log.toString(StandardCharsets.UTF_8);
  }

  private void ask(String what) {
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      String request =
          what + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      channel.write(StandardCharsets.US_ASCII.encode(request));
      ByteBuffer answer = ByteBuffer.allocate(1 << 16);
      while (channel.read(answer) >= 0) {
        answer.clear();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void clear(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
