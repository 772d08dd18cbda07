package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process holds of the machine.
 *
 * @param mib resident, pages of files included
 * @param ownMib the part of it that is no file's, and that the system cannot drop
 */
record Resident(double mib, double ownMib, int threads, int descriptors) {
  static Resident of(long pid) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    List<String> status = Files.readAllLines(process.resolve("status"));
    return new Resident(
        number(status, "VmRSS:") / 1024.0,
        number(status, "RssAnon:") / 1024.0,
        (int) number(status, "Threads:"),
        entries(process.resolve("fd")));
  }

  private static long number(List<String> status, String name) {
    return status.stream()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .sum();
  }

  private static int entries(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return (int) files.count();
    }
  }

  Resident plus(Resident other) {
    return new Resident(
        mib + other.mib,
        ownMib + other.ownMib,
        threads + other.threads,
        descriptors + other.descriptors);
  }
}
