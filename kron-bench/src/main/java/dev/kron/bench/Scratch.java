package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A directory on the checkout's own disk: the temporary one may be memory, where fsync is free. */
final class Scratch implements AutoCloseable {
  private final Path directory;

  Scratch(Path root) throws IOException {
    this.directory = Files.createTempDirectory(parent(root), "scratch");
  }

  /** What measurements leave for the next ones is here too. */
  static Path parent(Path root) throws IOException {
    return Files.createDirectories(root.resolve("kron-bench/target/bench"));
  }

  Path directory() {
    return directory;
  }

  static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  @Override
  public void close() throws IOException {
    delete(directory);
  }
}
