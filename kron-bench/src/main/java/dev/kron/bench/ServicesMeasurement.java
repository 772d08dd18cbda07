package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Five hundred services in a graph ten deep, against starting as many processes bare; and how soon
 * a service is started again after a crash, next to runit and s6.
 *
 * <p>{@code kron-bench/run services [--quick]}: quickly, with fewer crashes.
 */
final class ServicesMeasurement implements Measurement {
  private static final int SERVICES = 500;
  private static final int DEPTH = 10;
  private static final double MORE_SECONDS = 3;
  private static final double RESTART_MILLIS = 15;

  /** runit waits a second where a process has not lived for one. */
  private static final long BETWEEN_CRASHES_MILLIS = 1_200;

  @Override
  public String title() {
    return "500 services in a graph; from a crash to the next process, next to runit and s6";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    Path root = Child.root();
    var krond = new KrondDaemon(root);
    krond.build();
    boolean met;
    try (var scratch = new Scratch(root)) {
      int crashes = options.contains("--quick") ? 9 : 25;
      met = restarts(root, scratch.directory(), krond, crashes);
      met &= graph(Files.createDirectory(scratch.directory().resolve("graph")), krond);
    }
    return met;
  }

  private static boolean graph(Path scratch, KrondDaemon krond) throws Exception {
    double bare = bare(scratch);
    Path config = configuration(scratch);
    var random = new SplittableRandom(4);
    for (int i = 0; i < SERVICES; i++) {
      int layer = i % DEPTH;
      String requires =
          layer == 0
              ? ""
              : "\"s%d\"".formatted(random.nextInt(SERVICES / DEPTH) * DEPTH + layer - 1);
      service(
          config, "s" + i, "exec = \"sleep 1000\"\n[dependencies]\nrequires = [" + requires + "]");
    }
    long start = System.nanoTime();
    double ready;
    double all;
    try (var running = krond.start(scratch, config, List.of())) {
      ready = (System.nanoTime() - start) / 1e9;
      Path log = scratch.resolve("log");
      while (count(log, "component=service event=running") < SERVICES) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      all = (System.nanoTime() - start) / 1e9;
      endAll(scratch, running, config);
    }
    boolean met = all - bare <= MORE_SECONDS;
    System.out.printf(
        "%n%d services, %d deep: bare processes %.2f s, krond ready after %.2f s, all running after"
            + " %.2f s (target: at most %.0f s more than bare: %.2f s more)%n",
        SERVICES, DEPTH, bare, ready, all, MORE_SECONDS, all - bare);
    return met;
  }

  /** A shell that starts as many, each in a session of its own, and waits until all are there. */
  private static double bare(Path scratch) throws IOException, InterruptedException {
    Path pids = scratch.resolve("pids");
    String script =
        "i=0; while [ $i -lt %d ]; do setsid sleep 1000 & echo $! >>%s; i=$((i+1)); done"
            .formatted(SERVICES, pids);
    double seconds = Child.run(scratch, List.of("/bin/sh", "-c", script)).wallMillis() / 1000;
    for (String pid : Files.readAllLines(pids)) {
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
    }
    return seconds;
  }

  private static Path configuration(Path scratch) throws IOException {
    return Files.createDirectory(
        scratch.resolve("config"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  private static void service(Path config, String name, String text) throws IOException {
    Files.writeString(config.resolve(name + ".toml"), "[service]\n" + text + "\n");
  }

  private static long count(Path log, String text) throws IOException {
    try (var lines = Files.lines(log)) {
      return lines.filter(line -> line.contains(text)).count();
    }
  }

  /** Takes all files away, and waits until nothing is left. */
  private static void endAll(Path scratch, CronDaemon.Running running, Path config)
      throws IOException, InterruptedException {
    long services;
    try (var files = Files.list(config)) {
      List<Path> all = files.toList();
      services = all.size();
      for (Path file : all) {
        Files.delete(file);
      }
    }
    Child.run(config, List.of("kill", "-HUP", Long.toString(running.process().pid())));
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (count(scratch.resolve("log"), "event=removed") < services
        && System.nanoTime() < giveUp) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /**
   * What a process of the service does first: say that it is there, and when. It starts no other
   * for that: krond moves it to a control group at the same time, for which the kernel may hold up
   * every fork on the machine by ten milliseconds and more.
   */
  private static String command(Path file) {
    return "echo \"$$ ${EPOCHREALTIME/./}000\" >>" + file + "; exec sleep 1000";
  }

  private static boolean restarts(Path root, Path scratch, KrondDaemon krond, int crashes)
      throws Exception {
    System.out.printf(
        "%nfrom a crash to the next process, %d times each, ms%n%-8s %8s %8s %8s%n",
        crashes, "", "median", "fastest", "slowest");
    Path own = Files.createDirectory(scratch.resolve("restart"));
    Path config = configuration(own);
    Path file = own.resolve("starts");
    service(
        config,
        "web",
        "exec = [\"/bin/bash\", \"-c\", '''"
            + command(file)
            + "''']\n[lifecycle]\nrestart_delay_ms = 0\nmax_restarts = 0");
    double[] millis;
    try (var running = krond.start(own, config, List.of())) {
      millis = millis(file, crashes);
      endAll(own, running, config);
    }
    System.out.println(row("krond", millis) + "   target: a median of at most " + RESTART_MILLIS);
    peer("runit", scratch, root, crashes, "runit");
    peer("s6", scratch, root, crashes, "s6", "libskarnet2.13", "libexecline2.9");
    return millis[crashes / 2] <= RESTART_MILLIS;
  }

  private static String row(String name, double[] millis) {
    return "%-8s %8.1f %8.1f %8.1f"
        .formatted(name, millis[millis.length / 2], millis[0], millis[millis.length - 1]);
  }

  private static void peer(String name, Path scratch, Path root, int crashes, String... packages)
      throws Exception {
    Path unpacked;
    try {
      unpacked = new Packages(Scratch.parent(root).resolve("packages")).unpack(packages);
    } catch (IOException e) {
      System.out.printf("%-8s %8s   %s%n", name, "-", e.getMessage());
      return;
    }
    Path service = Files.createDirectory(scratch.resolve(name));
    Path file = scratch.resolve(name + "-starts");
    Path run = service.resolve("run");
    Files.writeString(run, "#!/bin/bash\n" + command(file) + "\n");
    Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("rwx------"));
    String program = name.equals("runit") ? "usr/bin/runsv" : "usr/bin/s6-supervise";
    var builder =
        new ProcessBuilder(unpacked.resolve(program).toString(), service.toString())
            .directory(scratch.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder
        .environment()
        .put("LD_LIBRARY_PATH", unpacked.resolve("usr/lib/x86_64-linux-gnu").toString());
    var running = new CronDaemon.Running(builder.start());
    try {
      System.out.println(row(name, millis(file, crashes)));
    } catch (IOException e) {
      System.out.printf("%-8s %8s   %s%n", name, "-", e.getMessage());
    } finally {
      running.close();
      last(file).ifPresent(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }
  }

  /** Each, in order of size. */
  private static double[] millis(Path file, int crashes) throws Exception {
    double[] millis = new double[crashes];
    for (int i = 0; i < crashes; i++) {
      List<String> before = lines(file, i + 1);
      TimeUnit.MILLISECONDS.sleep(BETWEEN_CRASHES_MILLIS);
      long pid = Long.parseLong(before.getLast().split(" ")[0]);
      Instant now = Instant.now();
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      long began = Long.parseLong(lines(file, before.size() + 1).getLast().split(" ")[1]);
      millis[i] = (began - (now.getEpochSecond() * 1_000_000_000L + now.getNano())) / 1e6;
    }
    Arrays.sort(millis);
    return millis;
  }

  private static Optional<Long> last(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file);
    return lines.isEmpty()
        ? Optional.empty()
        : Optional.of(Long.parseLong(lines.getLast().split(" ")[0]));
  }

  private static List<String> lines(Path file, int count) throws Exception {
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    List<String> lines = new ArrayList<>();
    while (lines.size() < count) {
      if (System.nanoTime() > giveUp) {
        throw new IOException("no new process within 30 s, " + file);
      }
      TimeUnit.MILLISECONDS.sleep(2);
      lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    }
    return lines;
  }
}
