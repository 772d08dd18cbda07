package dev.kron.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The number of prepared runs that may wait without taking resources that commands need when they
 * begin. Each costs two processes, a descriptor and about 640 KiB.
 */
final class Headroom {
  private static final long RUN_KIB = 640;
  private static final int PROCESSES = 2;
  private static final int LINE_BYTES = 64;

  private static final Path PROC = Path.of("/proc");
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

  private Headroom() {}

  /**
   * How many more runs may be prepared.
   *
   * @param waiting how many wait already
   */
  static int more(int waiting) {
    long processes =
        Math.min(
            least(PROC.resolve("sys/kernel"), "pid_max", "threads-max"), limit("Max processes"));
    long memory = availableKib();
    for (Path group = ownGroup();
        group != null && group.startsWith(CGROUPS);
        group = group.getParent()) {
      processes = Math.min(processes, least(group, "pids.max"));
      long used = number(group.resolve("memory.current"), 0);
      memory = Math.min(memory, (least(group, "memory.max") - used) / 1024);
    }
    // Two thirds of all processes, half of the descriptors, a third of the memory that is left.
    long room =
        Math.min(
            Math.min(processes / 3 * 2 / PROCESSES, limit("Max open files") / 2) - waiting,
            memory / 3 / RUN_KIB);
    return Math.clamp(room, 0, Integer.MAX_VALUE);
  }

  private static long least(Path directory, String... files) {
    long least = Long.MAX_VALUE;
    for (String file : files) {
      least = Math.min(least, number(directory.resolve(file), Long.MAX_VALUE));
    }
    return least;
  }

  /** A number in a file; "max" and a missing file mean that there is no limit. */
  private static long number(Path file, long otherwise) {
    try (var in = Files.newInputStream(file)) {
      // One read must suffice: files under /proc/sys return nothing to a second one.
      return Long.parseLong(new String(in.readNBytes(LINE_BYTES), US_ASCII).strip());
    } catch (IOException | NumberFormatException e) {
      return otherwise;
    }
  }

  /** Our own soft limit, by its name in {@code /proc/self/limits}. */
  private static long limit(String name) {
    for (String line : lines(PROC.resolve("self/limits"))) {
      if (line.startsWith(name)) {
        String soft = line.substring(name.length()).strip().split(" +", 2)[0];
        return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
      }
    }
    return Long.MAX_VALUE;
  }

  private static long availableKib() {
    for (String line : lines(PROC.resolve("meminfo"))) {
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return 0;
  }

  private static Path ownGroup() {
    for (String line : lines(PROC.resolve("self/cgroup"))) {
      if (line.startsWith("0::/")) {
        return CGROUPS.resolve(line.substring("0::/".length())).normalize();
      }
    }
    return CGROUPS;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
