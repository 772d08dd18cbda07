package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a daemon takes that has little to do: resident memory with 20 jobs and 3 services, next to
 * supervisord and runit with as many; what an ended run leaves on disk; when the first job of a
 * fresh daemon begins; and whether memory and descriptors stay as they are at 20 runs a second.
 *
 * <p>{@code kron-bench/run footprint [--quick] [--only idle|first|ended|soak]}: quickly, the soak
 * takes a minute instead of an hour, and nobody waits for the sweep that comes every 15 minutes.
 */
final class FootprintMeasurement implements Measurement {
  private static final int JOBS = 20;
  private static final int SERVICES = 3;
  private static final int SETTLE_SECONDS = 20;
  private static final int FRESH = 5;
  private static final int SOAK_JOBS = 1_200;
  private static final int LOOKS = 10;
  private static final int SWEEP_MINUTES = 16;

  @Override
  public String title() {
    return "an idle daemon's memory, an ended run's files, the first start, and a soak";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    boolean quick = options.contains("--quick");
    Path root = Child.root();
    var krond = new KrondDaemon(root);
    krond.build();
    try (var scratch = new Scratch(root)) {
      Path directory = scratch.directory();
      int only = options.indexOf("--only");
      String part = only < 0 ? "" : options.get(only + 1);
      boolean met = true;
      if (part.isEmpty() || part.equals("idle")) {
        met &= idle(root, krond, directory);
      }
      if (part.isEmpty() || part.equals("first")) {
        met &= firstStarts(krond, directory);
      }
      if (part.isEmpty() || part.equals("ended")) {
        met &= endedRun(krond, Files.createDirectory(directory.resolve("ended")), quick);
      }
      if (part.isEmpty() || part.equals("soak")) {
        met &= soak(krond, Files.createDirectory(directory.resolve("soak")), quick);
      }
      return met;
    }
  }

  private static boolean idle(Path root, KrondDaemon krond, Path scratch) throws Exception {
    System.out.printf(
        "%n%-12s %14s %10s %8s   %d jobs that do not fire, %d services%n",
        "", "resident, MiB", "own, MiB", "threads", JOBS, SERVICES);
    Path directory = Files.createDirectory(scratch.resolve("idle"));
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(config.resolve("jobs"), jobs(JOBS, "0 0 29 2 *", "/bin/true"));
    for (int i = 0; i < SERVICES; i++) {
      Files.writeString(
          config.resolve("service" + i + ".toml"),
          "[service]\nexec = [\"/bin/sleep\", \"100000\"]\n");
    }
    Resident ours;
    try (var running = krond.start(directory, config, List.of())) {
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      ours = print("krond", Resident.of(running.process().pid()));
    }
    peer("supervisord", () -> supervisord(root, Files.createDirectory(scratch.resolve("sup"))));
    peer("runit", () -> runit(root, Files.createDirectory(scratch.resolve("runit"))));
    return target("krond at most 64 MiB", ours.mib(), 64);
  }

  /** Another program with as many services. */
  private interface Peer {
    CronDaemon.Running start() throws Exception;
  }

  /** Of the program and those of its processes that are no service. */
  private static void peer(String name, Peer peer) throws Exception {
    try (var running = peer.start()) {
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      Resident all = Resident.of(running.process().pid());
      for (ProcessHandle child : running.process().descendants().toList()) {
        if (!child.info().command().orElse("").endsWith("/sleep")) {
          all = all.plus(Resident.of(child.pid()));
        }
      }
      print(name, all);
    } catch (IOException e) {
      System.out.println("without " + name + ": " + e.getMessage());
    }
  }

  private static Resident print(String name, Resident resident) {
    System.out.printf(
        "%-12s %14.1f %10.1f %8d%n", name, resident.mib(), resident.ownMib(), resident.threads());
    return resident;
  }

  private static CronDaemon.Running supervisord(Path root, Path home) throws Exception {
    Path files = packages(root).unpack("supervisor", "python3-pkg-resources");
    var text =
        new StringBuilder("[supervisord]\nnodaemon=true\nlogfile=NONE\nlogfile_maxbytes=0\n");
    text.append("pidfile=").append(home).append("/pid\n");
    for (int i = 0; i < SERVICES; i++) {
      text.append("[program:p").append(i).append("]\ncommand=/bin/sleep 100000\n");
    }
    Path configuration = Files.writeString(home.resolve("conf"), text);
    ProcessBuilder builder =
        new ProcessBuilder(
            "/usr/bin/python3", "-m", "supervisor.supervisord", "-c", configuration.toString());
    builder
        .environment()
        .put("PYTHONPATH", files.resolve("usr/lib/python3/dist-packages").toString());
    return running(builder, home);
  }

  private static CronDaemon.Running runit(Path root, Path home) throws Exception {
    Path files = packages(root).unpack("runit");
    Path services = Files.createDirectory(home.resolve("services"));
    for (int i = 0; i < SERVICES; i++) {
      Path run = Files.createDirectory(services.resolve("p" + i)).resolve("run");
      Files.writeString(run, "#!/bin/sh\nexec /bin/sleep 100000\n");
      if (!run.toFile().setExecutable(true)) {
        throw new IOException(run + " cannot be made executable");
      }
    }
    ProcessBuilder builder =
        new ProcessBuilder(files.resolve("usr/bin/runsvdir").toString(), services.toString());
    builder.environment().merge("PATH", files.resolve("usr/bin") + ":", (old, dir) -> dir + old);
    return running(builder, home);
  }

  private static Packages packages(Path root) throws IOException {
    return new Packages(Scratch.parent(root).resolve("packages"));
  }

  private static CronDaemon.Running running(ProcessBuilder builder, Path home)
      throws IOException, InterruptedException {
    Path log = home.resolve("log");
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (process.waitFor(3, TimeUnit.SECONDS)) {
      throw new IOException("it does not run: " + Files.readString(log));
    }
    return new CronDaemon.Running(process);
  }

  private static boolean firstStarts(KrondDaemon krond, Path scratch) throws Exception {
    double[] millis = new double[FRESH];
    for (int i = 0; i < FRESH; i++) {
      Path directory = Files.createDirectory(scratch.resolve("fresh" + i));
      Path config = Files.createDirectory(directory.resolve("config"));
      Path evidence = directory.resolve("evidence");
      Files.writeString(
          config.resolve("jobs"),
          jobs(JOBS, "* * * * * @win(after,59s)", "echo $KRON_CHOSEN >>" + evidence));
      try (var _ = krond.start(directory, config, List.of())) {
        while (!Files.exists(evidence) || Files.size(evidence) == 0) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
        Instant began = Files.getLastModifiedTime(evidence).toInstant();
        Instant chosen = Instant.parse(Files.readAllLines(evidence).getFirst());
        millis[i] = Duration.between(chosen, began).toNanos() / 1e6;
      }
    }
    Arrays.sort(millis);
    System.out.printf("%nfirst start of a fresh daemon, of %d: %s ms%n", FRESH, list(millis));
    return target("median below 50 ms", millis[FRESH / 2], 50);
  }

  private static List<String> list(double[] millis) {
    return Arrays.stream(millis).mapToObj(each -> "%.1f".formatted(each)).toList();
  }

  private static boolean endedRun(KrondDaemon krond, Path directory, boolean quick)
      throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(config.resolve("jobs"), jobs(1, "* * * * * @win(after,20s)", "echo a line"));
    Path runs = directory.resolve("state/runs");
    try (var _ = krond.start(directory, config, List.of())) {
      Path log = directory.resolve("log");
      while (!Files.readString(log).contains("event=run_ended")) {
        TimeUnit.MILLISECONDS.sleep(100);
      }
      TimeUnit.SECONDS.sleep(2);
      Path run;
      try (var all = Files.list(runs)) {
        run = all.sorted().findFirst().orElseThrow();
      }
      int inodes = onDisk(run, "right after its end");
      if (!quick) {
        TimeUnit.MINUTES.sleep(SWEEP_MINUTES);
        inodes = onDisk(run, "after a sweep");
      }
      return target("at most 2 inodes", inodes, 2);
    }
  }

  private static int onDisk(Path run, String when) throws Exception {
    List<Path> files;
    try (var all = Files.walk(run)) {
      files = all.toList();
    }
    Process du = new ProcessBuilder("du", "-sk", run.toString()).start();
    String kib =
        new String(du.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    du.waitFor();
    System.out.printf(
        "%nan ended run with one line of output, %s: %d inodes, %s KiB%n",
        when, files.size(), kib.split("\\s")[0]);
    return files.size();
  }

  private static boolean soak(KrondDaemon krond, Path directory, boolean quick) throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(
        config.resolve("jobs"), jobs(SOAK_JOBS, "* * * * * @win(after,59s)", "echo a line"));
    Duration each = (quick ? Duration.ofMinutes(2) : Duration.ofHours(1)).dividedBy(LOOKS);
    List<Resident> seen = new ArrayList<>();
    try (var running = krond.start(directory, config, List.of())) {
      System.out.printf("%n%d runs a minute: resident MiB, descriptors%n", SOAK_JOBS);
      for (int i = 0; i < LOOKS; i++) {
        TimeUnit.MILLISECONDS.sleep(each.toMillis());
        Resident now = Resident.of(running.process().pid());
        seen.add(now);
        System.out.printf("  %.1f, %d%n", now.mib(), now.descriptors());
      }
    }
    double most = seen.stream().mapToDouble(Resident::mib).max().orElseThrow();
    double growth = seen.getLast().mib() / seen.get(LOOKS / 2).mib();
    boolean small = target("at most 128 MiB", most, 128);
    boolean flat = target("the second half flat, 1.1", growth, 1.1);
    return small && flat;
  }

  private static String jobs(int count, String schedule, String line) {
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(schedule).append(" name=job").append(i);
      text.append(" shell=true command=\"").append(line).append("\"\n");
    }
    return text.toString();
  }

  private static boolean target(String what, double figure, double limit) {
    System.out.printf("  %-40s %10.2f %s%n", what, figure, figure <= limit ? "met" : "MISSED");
    return figure <= limit;
  }
}
