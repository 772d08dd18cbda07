package dev.kron.bench;

import dev.kron.bench.BusyMinute.Starts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Many jobs due in the same minute: when the last of their commands begins, by its own evidence,
 * next to the cron daemons of the distribution and to a loop in C that does nothing but start them.
 *
 * <p>{@code kron-bench/run load [--quick] [--only krond]}: quickly, a thousand and once, without
 * the others, in a minute and a half; otherwise a thousand three times and ten thousand once. Each
 * trial waits for a full minute.
 */
final class LoadMeasurement implements Measurement {
  private static final double TARGET_RATIO = 1.5;

  /** Ten times the jobs: in proportion, with some room for chance. */
  private static final double TARGET_GROWTH = 12;

  private static final int SOME = 1_000;
  private static final int MANY = 10_000;

  /** A daemon is there by then, and has looked ahead: longer for more jobs. */
  private static final int LEAD_SECONDS = 16;

  private static final int LEAD_SECONDS_FOR_MANY = 60;

  @Override
  public String title() {
    return "1,000 and 10,000 jobs due in the same minute, against cron, bcron and a loop in C";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    Path root = Child.root();
    var krond = new KrondDaemon(root);
    krond.build();
    try (var scratch = new Scratch(root)) {
      Path floor = compileFloor(scratch.directory());
      List<CronDaemon> daemons = new ArrayList<>(List.of(krond));
      if (!options.contains("--only") && !options.contains("--quick")) {
        daemons.addAll(Peers.available(Scratch.parent(root).resolve("packages")));
      }
      int rounds = options.contains("--quick") ? 1 : 3;
      Result some = table(scratch.directory(), floor, daemons, SOME, rounds);
      if (options.contains("--quick")) {
        return some.met();
      }
      Result many = table(scratch.directory(), floor, daemons, MANY, 1);
      double growth = many.lastStart() / some.lastStart();
      boolean linear = growth <= TARGET_GROWTH;
      System.out.printf(
          "target: krond's %,d take at most %.0f times as long as its %,d: %.1f, %s%n",
          MANY, TARGET_GROWTH, SOME, growth, linear ? "met" : "MISSED");
      return some.met() && many.met() && linear;
    }
  }

  /** What came of krond's part of a table; the last start in seconds after the due one. */
  private record Result(boolean met, double lastStart) {}

  private static Result table(
      Path scratch, Path floor, List<CronDaemon> daemons, int count, int rounds)
      throws IOException, InterruptedException {
    Map<String, List<Starts>> results = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (CronDaemon daemon : daemons) {
        // The floor each time, so that both have the same neighbours on the machine.
        add(results, "C loop", floor(floor, count));
        Path directory = Files.createTempDirectory(scratch, daemon.name());
        try {
          add(results, daemon.name(), trial(directory, daemon, count));
        } catch (IOException e) {
          if (daemon instanceof KrondDaemon) {
            throw e;
          }
          System.out.println("without " + daemon.name() + " this time: " + e.getMessage());
        }
      }
    }
    System.out.printf(
        "%n%-8s %10s %10s %10s %8s %8s %9s   %,d due in one minute%n",
        "", "first, s", "median, s", "last, s", "ratio", "missed", "repeated", count);
    double least = last(results.getOrDefault("C loop", List.of()));
    results.forEach((name, starts) -> print(name, starts, least));
    List<Starts> ours = results.getOrDefault("krond", List.of());
    boolean complete = ours.stream().allMatch(s -> s.missed() == 0 && s.repeated() == 0);
    boolean met = complete && last(ours) <= TARGET_RATIO * least;
    System.out.printf(
        "target: krond's last start within %.1f times the C loop's, none missed: %s%n",
        TARGET_RATIO, met ? "met" : "MISSED");
    return new Result(met, last(ours));
  }

  private static void add(Map<String, List<Starts>> results, String name, Starts starts) {
    System.out.printf("%s: %s%n", name, starts);
    results.computeIfAbsent(name, key -> new ArrayList<>()).add(starts);
  }

  private static void print(String name, List<Starts> starts, double least) {
    Starts typical = typical(starts);
    System.out.printf(
        "%-8s %10.3f %10.3f %10.3f %8.2f %8d %9d%n",
        name,
        typical.first(),
        typical.median(),
        typical.last(),
        typical.last() / least,
        starts.stream().mapToInt(Starts::missed).sum(),
        starts.stream().mapToInt(Starts::repeated).sum());
  }

  /** The trial whose last start is the median of all trials'. */
  private static Starts typical(List<Starts> starts) {
    return starts.stream()
        .sorted(java.util.Comparator.comparingDouble(Starts::last))
        .skip((starts.size() - 1) / 2)
        .findFirst()
        .orElseThrow();
  }

  private static double last(List<Starts> starts) {
    return typical(starts).last();
  }

  private static Path compileFloor(Path scratch) throws IOException, InterruptedException {
    Path source = scratch.resolve("floor.c");
    try (InputStream in = LoadMeasurement.class.getResourceAsStream("floor.c")) {
      if (in == null) {
        throw new IOException("the jar has no floor.c");
      }
      Files.copy(in, source);
    }
    Path program = scratch.resolve("floor");
    var compiled =
        Child.run(scratch, List.of("cc", "-O2", "-o", program.toString(), source.toString()));
    if (compiled.exitCode() != 0) {
      throw new IOException("floor.c does not compile: is there a C compiler called cc?");
    }
    return program;
  }

  private static Starts floor(Path program, int count) throws IOException, InterruptedException {
    try (var evidence = new BusyMinute(count)) {
      Instant due = Instant.now().plusSeconds(3).truncatedTo(ChronoUnit.SECONDS);
      var cost =
          Child.run(
              evidence.directory(),
              List.of(
                  program.toString(),
                  Long.toString(due.getEpochSecond()),
                  evidence.directory().toString(),
                  Integer.toString(count)));
      if (cost.exitCode() != 0) {
        throw new IOException("the C loop ended with " + cost.exitCode());
      }
      return evidence.await(due, 1);
    }
  }

  private static Starts trial(Path scratch, CronDaemon daemon, int count)
      throws IOException, InterruptedException {
    try (var evidence = new BusyMinute(count)) {
      Instant due =
          minute(Instant.now().plusSeconds(count < MANY ? LEAD_SECONDS : LEAD_SECONDS_FOR_MANY));
      var crontab = new Crontab(due.atZone(ZoneOffset.UTC), count, evidence::command);
      try (var running = daemon.start(scratch, crontab)) {
        if (!running.process().isAlive() || Instant.now().isAfter(due.minusSeconds(1))) {
          throw new IOException(daemon.name() + " was not there in time");
        }
        TimeUnit.MILLISECONDS.sleep(Math.max(0, due.toEpochMilli() - System.currentTimeMillis()));
        return evidence.await(due, 20);
      }
    }
  }

  private static Instant minute(Instant from) {
    return from.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
  }
}
