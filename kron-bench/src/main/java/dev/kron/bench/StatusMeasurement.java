package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long {@code kron status} takes with 500 services and 10,000 jobs, next to {@code
 * supervisorctl status} with 500 programs and {@code pm2 ls} with as many. The peers are fetched
 * from their registries into the bench's own directory, and not installed.
 *
 * <p>{@code kron-bench/run status [--quick]}: quickly, it leaves out pm2, which needs npm.
 */
final class StatusMeasurement implements Measurement {
  private static final int SERVICES = 500;
  private static final int JOBS = 10_000;
  private static final int CALLS = 15;
  private static final int PATIENCE_SECONDS = 300;

  @Override
  public String title() {
    return "kron status with 500 services and 10,000 jobs, against supervisorctl and pm2";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    Path root = Child.root();
    new KrondDaemon(root).build();
    try (var scratch = new Scratch(root)) {
      progress("krond: 500 services, 10,000 jobs");
      double ours = krond(root, Files.createDirectory(scratch.directory().resolve("krond")));
      System.out.printf("%n%-34s %8.0f ms%n", "kron status", ours);
      boolean met = true;
      met &= peer("supervisorctl status", ours, () -> supervisor(root, scratch.directory()));
      if (!options.contains("--quick")) {
        met &= peer("pm2 ls", ours, () -> pm2(root, scratch.directory()));
      }
      return met;
    }
  }

  /** What a peer takes, in milliseconds. */
  private interface Peer {
    double measure() throws Exception;
  }

  private static boolean peer(String name, double ours, Peer peer) throws Exception {
    try {
      double theirs = peer.measure();
      boolean met = ours * 3 <= theirs;
      System.out.printf(
          "%-34s %8.0f ms   ours takes %.2f of it, at most a third: %s%n",
          name, theirs, ours / theirs, met ? "met" : "MISSED");
      return met;
    } catch (IOException e) {
      System.out.println("without " + name + ": " + e.getMessage());
      return true;
    }
  }

  private static void progress(String text) {
    System.out.printf(
        "%s  %s%n", LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS), text);
  }

  private static double krond(Path root, Path scratch) throws Exception {
    var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Path config = Files.createDirectory(scratch.resolve("config"), owner);
    var krontab = new StringBuilder();
    for (int i = 0; i < JOBS; i++) {
      krontab.append("0 0 1 1 * @win(after,1h) name=job").append(i).append(" command=/bin/true\n");
    }
    Files.writeString(config.resolve("jobs"), krontab);
    for (int i = 0; i < SERVICES; i++) {
      Files.writeString(
          config.resolve("service" + i + ".toml"), "[service]\nexec = \"sleep 100000\"\n");
    }
    Path socket = scratch.resolve("run").resolve("krond.sock");
    Process daemon =
        start(
            root,
            scratch.resolve("log"),
            Map.of(),
            "./krond",
            config.toString(),
            "--state",
            scratch.resolve("state").toString(),
            "--socket",
            socket.toString());
    List<String> status = List.of("./kron", "status", "--socket", socket.toString());
    try {
      await(
          daemon,
          () ->
              output(root, Map.of(), "./kron", "status", "--socket", socket.toString())
                  .contains(SERVICES + " running"));
      return median(root, Map.of(), status);
    } finally {
      Child.run(root, List.of("./kron", "shutdown", "--kill", "--socket", socket.toString()));
      end(daemon);
    }
  }

  private static double supervisor(Path root, Path scratch) throws Exception {
    progress("supervisord: 500 programs");
    Path files =
        new Packages(Scratch.parent(root).resolve("packages"))
            .unpack("supervisor", "python3-pkg-resources");
    Path python = Path.of("/usr/bin/python3");
    if (!Files.isExecutable(python)) {
      throw new IOException("there is no " + python);
    }
    Path home = Files.createDirectory(scratch.resolve("supervisor"));
    Path configuration =
        Files.writeString(
            home.resolve("conf"),
            """
            [unix_http_server]
            file=%1$s/sock
            [supervisord]
            logfile=%1$s/log
            pidfile=%1$s/pid
            nodaemon=true
            minfds=4096
            [rpcinterface:supervisor]
            supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
            [supervisorctl]
            serverurl=unix://%1$s/sock
            [program:p]
            command=sleep 100000
            numprocs=%2$d
            process_name=p%%(process_num)d
            stdout_logfile=NONE
            stderr_logfile=NONE
            """
                .formatted(home, SERVICES));
    Map<String, String> environment =
        Map.of("PYTHONPATH", files.resolve("usr/lib/python3/dist-packages").toString());
    String[] control = {
      python.toString(), "-m", "supervisor.supervisorctl", "-c", configuration.toString(), "status"
    };
    Process daemon =
        start(
            home,
            home.resolve("out"),
            environment,
            python.toString(),
            "-m",
            "supervisor.supervisord",
            "-c",
            configuration.toString());
    try {
      await(daemon, () -> count(output(home, environment, control), "RUNNING") == SERVICES);
      return median(home, environment, List.of(control));
    } finally {
      end(daemon);
    }
  }

  private static double pm2(Path root, Path scratch) throws Exception {
    progress("pm2: 500 programs");
    Path home = Files.createDirectories(Scratch.parent(root).resolve("pm2"));
    Path program = home.resolve("node_modules/.bin/pm2");
    if (!Files.exists(program)
        && Child.run(
                    home, List.of("npm", "install", "--silent", "--prefix", home.toString(), "pm2"))
                .exitCode()
            != 0) {
      throw new IOException("npm does not get it");
    }
    Map<String, String> environment =
        Map.of("PM2_HOME", Files.createDirectory(scratch.resolve("pm2")).toString());
    String pm2 = program.toString();
    var apps = new StringBuilder("{\"apps\":[");
    for (int i = 0; i < SERVICES; i++) {
      apps.append(i == 0 ? "" : ",").append("{\"name\":\"p").append(i);
      apps.append("\",\"script\":\"/bin/sleep\",\"args\":\"100000\",\"interpreter\":\"none\"}");
    }
    Path file = Files.writeString(scratch.resolve("pm2/apps.json"), apps.append("]}"));
    try {
      output(scratch, environment, pm2, "start", file.toString());
      if (count(output(scratch, environment, pm2, "ls"), "online") < SERVICES) {
        throw new IOException("not all are online");
      }
      return median(scratch, environment, List.of(pm2, "ls"));
    } finally {
      output(scratch, environment, pm2, "kill");
    }
  }

  private static Process start(
      Path directory, Path log, Map<String, String> environment, String... command)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static String output(Path directory, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String text =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    process.waitFor();
    return text;
  }

  /** Something that becomes true. */
  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Process daemon, Condition condition) throws Exception {
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.holds()) {
      if (!daemon.isAlive() || System.nanoTime() > giveUp) {
        throw new IOException("it does not get all " + SERVICES + " running");
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private static int count(String text, String word) {
    return text.split(word, -1).length - 1;
  }

  private static double median(
      Path directory, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    double[] millis = new double[CALLS];
    for (int i = 0; i < CALLS; i++) {
      long begin = System.nanoTime();
      output(directory, environment, command.toArray(String[]::new));
      millis[i] = (System.nanoTime() - begin) / 1e6;
    }
    Arrays.sort(millis);
    return millis[CALLS / 2];
  }

  private static void end(Process daemon) throws InterruptedException {
    daemon.destroy();
    if (!daemon.waitFor(30, TimeUnit.SECONDS)) {
      daemon.destroyForcibly();
    }
  }
}
