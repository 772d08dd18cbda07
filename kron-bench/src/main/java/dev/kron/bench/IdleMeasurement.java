package dev.kron.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A daemon with 100,000 jobs, each with a state file and ten history entries, of which none fires:
 * how long until it is ready, how much it holds, what it costs to do nothing; next to the cron
 * daemons of the distribution with as many lines. Then how late a job begins on an idle machine.
 *
 * <p>{@code kron-bench/run idle [--quick] [--only krond]}: quickly, it idles for 15 s instead of
 * 60.
 */
final class IdleMeasurement implements Measurement {
  private static final int JOBS = 100_000;
  private static final int HISTORY = 10;
  private static final int STARTS = 200;

  @Override
  public String title() {
    return "100,000 jobs that do not fire, against cron and bcron; how late a job begins";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    Path root = Child.root();
    int idleSeconds = options.contains("--quick") ? 15 : 60;
    var krond = new KrondDaemon(root);
    krond.build();
    try (var scratch = new Scratch(root)) {
      List<CronDaemon> daemons = new ArrayList<>(List.of(krond));
      if (!options.contains("--only")) {
        daemons.addAll(Peers.available(Scratch.parent(root).resolve("packages")));
      }
      System.out.printf(
          "%n%-8s %10s %12s %12s   %,d jobs that do not fire%n",
          "", "ready, s", "resident, MiB", "idle CPU, %", JOBS);
      boolean met = true;
      for (CronDaemon daemon : daemons) {
        Path directory = Files.createTempDirectory(scratch.directory(), daemon.name());
        try {
          met &= idle(directory, daemon, idleSeconds);
        } catch (IOException e) {
          if (daemon instanceof KrondDaemon) {
            throw e;
          }
          System.out.println("without " + daemon.name() + ": " + e.getMessage());
        }
      }
      met &= latency(Files.createTempDirectory(scratch.directory(), "latency"), krond);
      return met;
    }
  }

  private static boolean idle(Path scratch, CronDaemon daemon, int seconds) throws Exception {
    // Half a day away from any minute of this measurement.
    ZonedDateTime never = ZonedDateTime.now(ZoneOffset.UTC).plusHours(12);
    var crontab = new Crontab(never, JOBS, i -> "/bin/true " + i);
    boolean ours = daemon instanceof KrondDaemon;
    if (ours) {
      writeStates(scratch.resolve("state"), scratch.resolve("config"), never);
      daemon.start(scratch, crontab).close(); // the first start notes that it has seen these jobs
    }
    long begin = System.nanoTime();
    try (var running = daemon.start(scratch, crontab)) {
      long pid = running.process().pid();
      // Only krond says when it is ready; of the others the time on the processor tells.
      double ready = ours ? (System.nanoTime() - begin) / 1e9 : cpuNanos(pid) / 1e9;
      TimeUnit.SECONDS.sleep(15); // compilation of what just ran is not idling
      long before = cpuNanos(pid);
      TimeUnit.SECONDS.sleep(seconds);
      double percent = (cpuNanos(pid) - before) / 1e9 / seconds * 100;
      System.out.printf(
          "%-8s %10.2f %12.1f %12.3f%n", daemon.name(), ready, Resident.of(pid).mib(), percent);
      if (!ours) {
        return true;
      }
      double heap = liveHeapMib(pid);
      boolean met = target("ready within 3 s", ready, 3);
      met &= target("live heap at most 60 MiB", heap, 60);
      met &= target("idle below 0.1 % of a core", percent, 0.1);
      return met;
    }
  }

  private static boolean target(String what, double figure, double limit) {
    System.out.printf("  %-40s %10.3f %s%n", what, figure, figure <= limit ? "met" : "MISSED");
    return figure <= limit;
  }

  /** Of all threads, in nanoseconds: the scheduler's own count. */
  static long cpuNanos(long pid) throws IOException {
    long sum = 0;
    try (var threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads) {
        sum += Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
      }
    }
    return sum;
  }

  /** What a full collection leaves, as {@code jcmd} counts it: instances that are reachable. */
  private static double liveHeapMib(long pid) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    long bytes = 0;
    try (var lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.strip().split(" +");
        if (words[0].equals("Total")) {
          bytes += Long.parseLong(words[2]);
        } else if (line.contains("jdk.internal.vm.FillerElement")) {
          bytes -= Long.parseLong(words[2]); // room between objects, which nobody holds
        }
      }
    }
    process.waitFor();
    return bytes / 1024.0 / 1024.0;
  }

  /** As krond itself would have left them after ten days. */
  private static void writeStates(Path state, Path config, ZonedDateTime minute) throws Exception {
    var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Files.createDirectory(state, owner);
    ZonedDateTime last = minute.truncatedTo(ChronoUnit.MINUTES).minusDays(1);
    var digest = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < JOBS; i++) {
      String identity = config.resolve(Crontab.fileOf(i)) + ":job" + i;
      var text = new StringBuilder("{\"Version\":\"1\",\n\"Identity\":\"").append(identity);
      text.append("\",\n\"LastHandledPeriodID\":\"").append(last.toInstant());
      text.append("\",\n\"LastOutcome\":\"executed\",\n\"LastChosenTime\":\"");
      text.append(last.toInstant()).append("\",\n\"LastNominalTime\":\"").append(last.toInstant());
      text.append("\",\n\"ActiveExecution\":null,\n\"History\":[");
      for (int entry = HISTORY - 1; entry >= 0; entry--) {
        Instant at = last.minusDays(entry).toInstant();
        text.append(entry == HISTORY - 1 ? "\n" : ",\n").append("{\"PeriodID\":\"").append(at);
        text.append("\",\"Outcome\":\"executed\",\"NominalTime\":\"").append(at);
        text.append("\",\"ChosenTime\":\"").append(at).append("\",\"CompletedAt\":\"").append(at);
        text.append("\",\"ExitCode\":0}");
      }
      text.append("]}\n");
      byte[] hash = digest.digest(identity.getBytes(StandardCharsets.UTF_8));
      Path file = state.resolve(HexFormat.of().formatHex(hash) + ".json");
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, text);
    }
  }

  /** Jobs at seconds of their own, drawn by their windows: when their commands begin. */
  private static boolean latency(Path scratch, KrondDaemon krond) throws Exception {
    Path config = Files.createDirectories(scratch.resolve("config"));
    Path evidence = Files.createDirectories(scratch.resolve("evidence"));
    Instant minute = Instant.now().plusSeconds(15).truncatedTo(ChronoUnit.MINUTES).plusSeconds(60);
    ZonedDateTime at = minute.atZone(ZoneOffset.UTC);
    var text = new StringBuilder();
    for (int i = 0; i < STARTS; i++) {
      text.append(at.getMinute()).append(' ').append(at.getHour()).append(" * * * @win(after,59s)");
      text.append(" name=job").append(i).append(" shell=true command=\"echo $KRON_CHOSEN >");
      text.append(evidence).append('/').append(i).append("\"\n");
    }
    Files.writeString(config.resolve("bench.krontab"), text);
    try (var running = krond.start(scratch, config, List.of())) {
      TimeUnit.MILLISECONDS.sleep(
          minute.plusSeconds(63).toEpochMilli() - System.currentTimeMillis());
      double[] millis = new double[STARTS];
      for (int i = 0; i < STARTS; i++) {
        Path file = evidence.resolve(Integer.toString(i));
        Instant chosen = Instant.parse(Files.readString(file).strip());
        Instant began = Files.getLastModifiedTime(file).toInstant();
        millis[i] = java.time.Duration.between(chosen, began).toNanos() / 1e6;
      }
      Arrays.sort(millis);
      System.out.printf(
          "%n%d jobs at their own seconds of a minute (pid %d): median %.1f ms, 99th percentile"
              + " %.1f ms, latest %.1f ms%n",
          STARTS,
          running.process().pid(),
          millis[STARTS / 2],
          millis[STARTS * 99 / 100],
          millis[STARTS - 1]);
      return target("99th percentile below 50 ms", millis[STARTS * 99 / 100], 50);
    }
  }
}
