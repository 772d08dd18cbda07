package dev.kron.store;

import java.nio.file.Path;

/** Another daemon uses the state directory. */
public final class LockHeldException extends Exception {
  private final Path directory;
  private final String holder;

  LockHeldException(Path directory, String holder) {
    super(
        "state directory "
            + directory
            + " is in use by another krond"
            + (holder.isEmpty() ? "" : " (" + holder + ")")
            + ": stop that one, or give this one a directory of its own with --state DIR");
    this.directory = directory;
    this.holder = holder;
  }

  public Path directory() {
    return directory;
  }

  /**
   * The holder of the lock, such as {@code pid 4711, since 2026-03-01T00:00:00Z}; empty if it has
   * not written that yet.
   */
  public String holder() {
    return holder;
  }
}
