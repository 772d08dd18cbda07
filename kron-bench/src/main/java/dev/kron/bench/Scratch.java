package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/**
 * A directory on the checkout's own disk: the temporary one may be memory, where fsync is free.
 *
 * <p>Not within the checkout, if that can be helped: ext4 without a journal passes over every inode
 * that was deleted in the last minutes, one by one and for each new file, and a build deletes
 * thousands. There a new file was seen to take 680 µs instead of 13.
 */
final class Scratch implements AutoCloseable {
  private final Path directory;

  Scratch(Path root) throws IOException {
    this.directory = Files.createTempDirectory(place(root), "kron-bench");
  }

  private static Path place(Path root) throws IOException {
    Path parent = parent(root);
    Path lasting = Path.of("/var/tmp");
    boolean usable =
        Files.isWritable(lasting) && Files.getFileStore(lasting).equals(Files.getFileStore(parent));
    return usable ? lasting : parent;
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
