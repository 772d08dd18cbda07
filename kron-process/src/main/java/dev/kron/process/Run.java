package dev.kron.process;

import java.nio.file.Path;

/**
 * One run of a command.
 *
 * @param id unique for ever; its command finds it in {@code KRON_RUN_ID}
 * @param directory its own, mode 0700, made before the launch; holds its record and output
 */
public record Run(String id, Path directory) {

  /** The variable that tells a process which run it belongs to. */
  public static final String ID_VARIABLE = "KRON_RUN_ID";

  /**
   * The variable that sets the alert of a run apart from the run: both have its id, and whoever
   * looks for what is left of a run that failed must not find, wait for or end its alert. Holds the
   * name of the alert's own directory.
   */
  public static final String ALERT_VARIABLE = "KRON_ALERT_ID";

  public Run {
    if (id.isEmpty()) {
      throw new IllegalArgumentException("a run needs an id");
    }
    if (!directory.isAbsolute()) {
      throw new IllegalArgumentException(
          "the directory of run " + id + " is " + directory + ", expected an absolute path");
    }
  }

  /** What the command wrote to its standard output, where it was captured. */
  public Path stdout() {
    return directory.resolve("stdout");
  }

  /** What the command wrote to its standard error, where it was captured. */
  public Path stderr() {
    return directory.resolve("stderr");
  }
}
