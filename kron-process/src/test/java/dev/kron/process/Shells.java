package dev.kron.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** The shells of this machine that a {@code /bin/sh} may turn out to be. */
final class Shells {

  private static final Map<String, Path> KNOWN =
      Map.of(
          "dash", Path.of("/bin/dash"),
          "bash", Path.of("/bin/bash"),
          "busybox", Path.of("/bin/busybox"));

  private Shells() {}

  static Stream<String> installed() {
    return Stream.concat(
        Stream.of("sh"),
        KNOWN.entrySet().stream()
            .filter(shell -> Files.isExecutable(shell.getValue()))
            .map(Map.Entry::getKey)
            .sorted());
  }

  /** A path that ends in {@code sh}, which is how bash and busybox know what to be. */
  static String path(String name) {
    Path target = KNOWN.get(name);
    if (target == null) {
      return "/bin/sh";
    }
    try {
      Path link = Path.of("target", "shells", name, "sh").toAbsolutePath();
      if (!Files.exists(link)) {
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, target);
      }
      return link.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
