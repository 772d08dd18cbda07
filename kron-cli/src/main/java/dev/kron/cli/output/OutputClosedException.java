package dev.kron.cli.output;

import java.io.IOException;

/** The output cannot be written any more: its reader is gone, or its disk is full. */
public final class OutputClosedException extends IOException {
  private static final long serialVersionUID = 1L;

  OutputClosedException(IOException cause) {
    super(cause.getMessage(), cause);
  }

  /** Whether the reader of a pipe simply had enough. */
  public boolean brokenPipe() {
    String message = String.valueOf(getMessage());
    return message.contains("Broken pipe") || message.contains("Connection reset");
  }
}
