package dev.kron.process;

import java.nio.file.Path;

/** What a command reads as its standard input. */
public sealed interface InputSource {

  /** {@code /dev/null}. */
  record Nothing() implements InputSource {}

  /** A file of the daemon's own, which it opens itself. */
  record Kept(Path file) implements InputSource {}

  /**
   * A file of somebody else's. It is opened with the rights of the run's user, not the daemon's,
   * and must be a regular file and no symbolic link.
   */
  record Users(Path file) implements InputSource {
    public Users {
      if (!file.isAbsolute()) {
        throw new IllegalArgumentException(
            "input file " + file + " is relative, expected an absolute path");
      }
    }
  }
}
