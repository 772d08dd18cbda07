package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * What many commands of the same second leave as evidence. Each appends a newline to a file of its
 * own, with no program but the shell that it is anyway: the file's time is when it ran, its size
 * how often. The files are in memory where the machine has a place for that, so that whoever writes
 * to the disk does not slow down the evidence.
 */
final class BusyMinute implements AutoCloseable {
  private static final Path MEMORY = Path.of("/dev/shm");

  private final Path directory;
  private final int count;

  /**
   * When the commands began, in seconds after the due one.
   *
   * @param missed commands that never ran
   * @param repeated commands that ran more than once
   */
  record Starts(double first, double median, double last, int missed, int repeated) {}

  BusyMinute(int count) throws IOException {
    this.count = count;
    this.directory =
        Files.isWritable(MEMORY)
            ? Files.createTempDirectory(MEMORY, "kron-bench")
            : Files.createTempDirectory("kron-bench");
  }

  Path directory() {
    return directory;
  }

  String command(int i) {
    return "echo >>" + directory + "/" + i;
  }

  /** Waits until all have run, or nothing has happened for long. */
  Starts await(Instant due, int patienceSeconds) throws IOException, InterruptedException {
    long seen = -1;
    long since = System.nanoTime();
    while (true) {
      long ran = ran();
      if (ran != seen || Instant.now().isBefore(due)) {
        seen = ran;
        since = System.nanoTime();
      }
      if (ran == count || System.nanoTime() - since > TimeUnit.SECONDS.toNanos(patienceSeconds)) {
        break;
      }
      TimeUnit.MILLISECONDS.sleep(200); // looking costs time that others need
    }
    TimeUnit.SECONDS.sleep(1); // a second run of something would show by now
    return starts(due);
  }

  private long ran() throws IOException {
    try (var files = Files.list(directory)) {
      return files.count();
    }
  }

  private Starts starts(Instant due) throws IOException {
    double[] seconds = new double[count];
    int ran = 0;
    int repeated = 0;
    for (int i = 0; i < count; i++) {
      Path file = directory.resolve(Integer.toString(i));
      if (Files.exists(file)) {
        var attributes = Files.readAttributes(file, BasicFileAttributes.class);
        Instant at = attributes.lastModifiedTime().toInstant();
        seconds[ran++] = java.time.Duration.between(due, at).toNanos() / 1e9;
        repeated += attributes.size() > 1 ? 1 : 0;
      }
    }
    if (ran == 0) {
      return new Starts(Double.NaN, Double.NaN, Double.NaN, count, 0);
    }
    Arrays.sort(seconds, 0, ran);
    return new Starts(seconds[0], seconds[ran / 2], seconds[ran - 1], count - ran, repeated);
  }

  @Override
  public void close() throws IOException {
    Scratch.delete(directory);
  }
}
