package dev.kron.process;

import java.nio.file.Path;

/** The destination of a stream of the command. */
public sealed interface OutputTarget {

  /** The run's directory, as {@code stdout} or {@code stderr}. */
  record Capture() implements OutputTarget {}

  /** Nowhere: the output is dropped. */
  record Discard() implements OutputTarget {}

  /**
   * The end of a file. It is opened with the rights of the run's user, created with mode 0600 if it
   * does not exist, and must not be a symbolic link.
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
   * The end of a file of the daemon's own. The daemon opens it, creates it with mode 0600 if it
   * does not exist, and refuses a symbolic link.
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
