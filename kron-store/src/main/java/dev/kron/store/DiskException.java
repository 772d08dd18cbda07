package dev.kron.store;

import java.io.IOException;
import java.nio.file.Path;

/** A failed operation on a file: what was tried, where, and why. */
public final class DiskException extends IOException {
  /** The reasons that callers tell apart. */
  public enum Reason {
    NO_SPACE("no space left on device"),
    INPUT_OUTPUT("input/output error"),
    NO_PERMISSION("permission denied"),
    READ_ONLY("read-only file system"),
    NOT_FOUND("no such file or directory"),
    EXISTS("exists already"),
    SYMBOLIC_LINK("is a symbolic link"),
    NOT_A_FILE("is not a regular file"),
    NOT_EMPTY("directory not empty"),
    TOO_LARGE("too large"),
    OTHER("failed");

    private final String text;

    Reason(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  private final String message;
  private final String operation;
  private final Path path;
  private final Reason reason;

  public DiskException(String operation, Path path, Reason reason) {
    this(operation, path, reason, reason.text());
  }

  /**
   * An exception with the system's own words.
   *
   * @param detail the system's own words
   */
  public DiskException(String operation, Path path, Reason reason, String detail) {
    this.message = "cannot " + operation + " " + path + ": " + detail;
    this.operation = operation;
    this.path = path;
    this.reason = reason;
  }

  @Override
  public String getMessage() {
    return message;
  }

  /** The operation as a verb: {@code write}, {@code sync} … */
  public String operation() {
    return operation;
  }

  public Path path() {
    return path;
  }

  public Reason reason() {
    return reason;
  }
}
