package dev.kron.cli.line;

import java.util.List;

/** A request that was understood but cannot be met. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final transient List<String> lines;

  public RefusedException(String message) {
    this(ExitCode.REFUSED, List.of(message));
  }

  public RefusedException(int exitCode, List<String> lines) {
    super(String.join("; ", lines), null, false, false);
    this.exitCode = exitCode;
    this.lines = List.copyOf(lines);
  }

  public int exitCode() {
    return exitCode;
  }

  /** What to say, one reason a line. */
  public List<String> lines() {
    return lines;
  }
}
