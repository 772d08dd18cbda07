package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Outputs that were looked at once and are kept. {@code -Dkron.golden=update} writes them anew, to
 * be read in the diff.
 */
final class Golden {
  private static final Path DIRECTORY =
      Path.of(System.getProperty("kron.root", "..")).resolve("kron-cli/src/test/resources/golden");

  private Golden() {}

  static void check(String name, String actual) throws IOException {
    Path file = DIRECTORY.resolve(name);
    if ("update".equals(System.getProperty("kron.golden"))) {
      Files.createDirectories(DIRECTORY);
      Files.writeString(file, actual);
    }
    assertEquals(Files.readString(file), actual, name);
  }
}
