package dev.kron.process;

import java.nio.file.Path;

/**
 * One run of a command.
 *
 * @param id never used twice; its command finds it in {@code KRON_RUN_ID}
 * @param directory the run's own directory, mode 0700, created before the launch; it contains the
 *     record and the output
 */
public record Run(String id, Path directory) {

  /** The variable that tells a process which run it belongs to. */
  public static final String ID_VARIABLE = "KRON_RUN_ID";

  /** The variables that say of which job or service it is. */
  public static final String JOB_VARIABLE = "KRON_JOB";

  public static final String SERVICE_VARIABLE = "KRON_SERVICE";

  /**
   * The variable that distinguishes the alert of a run from the run. Both have the run's id, and a
   * search for processes of a failed run must not find, await or end its alert. Its value is the
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

  /** The captured standard output of the command. */
  public Path stdout() {
    return directory.resolve("stdout");
  }

  /** The captured standard error of the command. */
  public Path stderr() {
    return directory.resolve("stderr");
  }
}
