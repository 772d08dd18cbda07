package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Programs from the distribution's packages, unpacked into a directory of the bench and not
 * installed: the machine stays as it is.
 */
final class Packages {
  private final Path directory;

  Packages(Path directory) {
    this.directory = directory;
  }

  /**
   * @return where the packages were unpacked
   * @throws IOException why one cannot be had
   */
  Path unpack(String... names) throws IOException, InterruptedException {
    Path root = Files.createDirectories(directory.resolve(names[0]));
    for (String name : names) {
      Path done = root.resolve("." + name);
      if (Files.exists(done)) {
        continue;
      }
      Path archives = Files.createDirectories(root.resolve("archives"));
      require(archives, List.of("apt-get", "download", name), "there is no package " + name);
      try (var files = Files.newDirectoryStream(archives, name + "_*.deb")) {
        for (Path file : files) {
          require(
              root, List.of("dpkg", "-x", file.toString(), root.toString()), file + " is damaged");
        }
      }
      Files.createFile(done);
    }
    return root;
  }

  private static void require(Path directory, List<String> command, String otherwise)
      throws IOException, InterruptedException {
    if (Child.run(directory, command).exitCode() != 0) {
      throw new IOException(otherwise);
    }
  }
}
