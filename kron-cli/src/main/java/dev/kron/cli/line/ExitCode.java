package dev.kron.cli.line;

/** Every exit code of {@code kron}, in one place; docs/commands.md explains them. */
public final class ExitCode {
  /** Done; for lint: every file is valid. */
  public static final int OK = 0;

  /** The answer is no: a krontab has errors, there is no such job, the time is no period. */
  public static final int REFUSED = 1;

  /** A file could not be read. */
  public static final int UNREADABLE = 2;

  /** The command line was not understood (EX_USAGE). */
  public static final int USAGE = 64;

  /**
   * No daemon answers, or it is stopping (EX_UNAVAILABLE); from the launcher: no JDK, or the
   * program could not be built.
   */
  public static final int UNAVAILABLE = 69;

  /** A fault of ours (EX_SOFTWARE). */
  public static final int INTERNAL = 70;

  /** The output could not be written (EX_IOERR). */
  public static final int OUTPUT_FAILED = 74;

  /** The daemon does not do that for you (EX_NOPERM). */
  public static final int NOT_ALLOWED = 77;

  /** The reader of our output went away, as a shell shows it for SIGPIPE. */
  public static final int BROKEN_PIPE = 141;

  private ExitCode() {}
}
