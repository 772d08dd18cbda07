package dev.kron.cli;

import java.util.List;

/** A request that was understood but cannot be met. */
final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final transient List<String> lines;

  RefusedException(String message) {
    this(ExitCode.REFUSED, List.of(message));
  }

  RefusedException(int exitCode, List<String> lines) {
    super(String.join("; ", lines), null, false, false);
    this.exitCode = exitCode;
    this.lines = List.copyOf(lines);
  }

  int exitCode() {
    return exitCode;
  }

  /** What to say, one reason a line. */
  List<String> lines() {
    return lines;
  }
}
