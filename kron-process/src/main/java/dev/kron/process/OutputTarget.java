package dev.kron.process;

import java.nio.file.Path;

/** Where a stream of the command goes. */
public sealed interface OutputTarget {

  /** Into the run's directory, as {@code stdout} or {@code stderr}. */
  record Capture() implements OutputTarget {}

  /** Nowhere. */
  record Discard() implements OutputTarget {}

  /**
   * To the end of a file. It is opened with the rights of the run's user, not the daemon's, created
   * 0600 where it does not exist, and must not be a symbolic link.
   */
  record Append(Path file) implements OutputTarget {
    public Append {
      if (!file.isAbsolute()) {
        throw new IllegalArgumentException(
            "output file " + file + " is relative, expected an absolute path");
      }
    }
  }

  /**
   * To the end of a file of the daemon's own, which it opens itself, created 0600 where it does not
   * exist; must not be a symbolic link.
   */
  record Log(Path file) implements OutputTarget {
    public Log {
      if (!file.isAbsolute()) {
        throw new IllegalArgumentException(
            "log file " + file + " is relative, expected an absolute path");
      }
    }
  }
}
