package dev.kron.bench;

import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A million krontab lines through {@code ./kron lint}, and the same million jobs in memory.
 * Targets: 5 s of CPU, 1 KiB of heap a job.
 *
 * <p>{@code kron-bench/run lint}
 */
final class LintMeasurement implements Measurement {
  private static final int FILES = 250;
  private static final int LINES = 4_000;
  private static final int JOBS = FILES * LINES;
  private static final double TARGET_SECONDS = 5;
  private static final double TARGET_BYTES = 1_024;

  private static final String[] ZONES = {"", " @tz(Europe/Paris)", " @tz(America/New_York)"};
  private static final String[] WINDOWS = {
    "", " @win(after,2h)", " @win(around,45m) @dist(normal)"
  };
  private static final String[] DAYS = {"* * *", "* * 1-5", "1,15 * *", "* JAN-JUN MON"};

  private final SplittableRandom random = new SplittableRandom(1);

  @Override
  public String title() {
    return "a million krontab lines: CPU of ./kron lint, heap a job";
  }

  @Override
  public boolean run(List<String> options) throws IOException, InterruptedException {
    Path directory =
        Files.createTempDirectory(
            "kron-bench",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      write(directory);
      double seconds = lint(directory, options.contains("--quick") ? 1 : 3);
      double bytes = bytesOfAJob(directory);
      System.out.printf(
          "%nlint of %,d lines: %.2f s of CPU, target %.0f %s%nheap: %.0f bytes a job, target %.0f"
              + " %s%n",
          JOBS,
          seconds,
          TARGET_SECONDS,
          seconds <= TARGET_SECONDS ? "" : "MISSED",
          bytes,
          TARGET_BYTES,
          bytes <= TARGET_BYTES ? "" : "MISSED");
      return seconds <= TARGET_SECONDS && bytes <= TARGET_BYTES;
    } finally {
      delete(directory);
    }
  }

  /** The least CPU of some runs: what else the machine does only ever adds to it. */
  private static double lint(Path directory, int runs) throws IOException, InterruptedException {
    Path root = Child.root();
    Child.run(root, List.of("./kron", "--help")); // builds, if need be
    double best = Double.MAX_VALUE;
    for (int i = 0; i < runs; i++) {
      Child.Cost cost = Child.run(root, List.of("./kron", "lint", directory.toString()));
      if (cost.exitCode() != 0) {
        throw new IOException("./kron lint " + directory + " ended with " + cost.exitCode());
      }
      System.out.printf("lint: %.0f ms of CPU in %.0f ms%n", cost.cpuMillis(), cost.wallMillis());
      best = Math.min(best, cost.cpuMillis() / 1000);
    }
    return best;
  }

  private static double bytesOfAJob(Path directory) throws IOException {
    long before = usedBytes();
    var parser = new KrontabParser(KrontabParser.Settings.DEFAULT);
    List<Krontab> krontabs = new ArrayList<>();
    int jobs = 0;
    for (int file = 0; file < FILES; file++) {
      Path path = file(directory, file);
      Krontab krontab = parser.parse(path, Files.readAllBytes(path));
      krontabs.add(krontab);
      jobs += krontab.jobs().size();
    }
    if (jobs != JOBS) {
      throw new IOException("only " + jobs + " of " + JOBS + " jobs were read");
    }
    double bytes = (double) (usedBytes() - before) / jobs;
    if (krontabs.size() != FILES) { // also keeps them reachable until here
      throw new AssertionError();
    }
    return bytes;
  }

  private static long usedBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void write(Path directory) throws IOException {
    for (int file = 0; file < FILES; file++) {
      var text = new StringBuilder(LINES * 110);
      for (int line = 0; line < LINES; line++) {
        text.append(line(line)).append('\n');
      }
      Files.writeString(file(directory, file), text);
    }
  }

  /** Lines as people write them: mostly plain, some with a zone and a window. */
  private String line(int number) {
    return random.nextInt(60)
        + " "
        + random.nextInt(24)
        + " "
        + pick(DAYS)
        + pick(ZONES)
        + pick(WINDOWS)
        + " name=job-"
        + number
        + " command=/bin/true user=root timeout=10m";
  }

  private String pick(String[] choices) {
    return choices[Math.max(0, random.nextInt(2 * choices.length) - choices.length)];
  }

  private static Path file(Path directory, int number) {
    return directory.resolve("jobs-" + number + ".krontab");
  }

  private static void delete(Path directory) throws IOException {
    for (int file = 0; file < FILES; file++) {
      Files.deleteIfExists(file(directory, file));
    }
    Files.delete(directory);
  }
}
