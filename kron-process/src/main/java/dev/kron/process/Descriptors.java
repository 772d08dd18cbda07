package dev.kron.process;

import java.util.ArrayList;
import java.util.List;

/**
 * The files that are opened for one child. They close themselves in every other child, and their
 * numbers are high enough that none is overwritten while the child's own descriptors are set up.
 */
final class Descriptors implements AutoCloseable {

  private static final int LOWEST = 16;
  private static final int F_DUPFD_CLOEXEC = 1030;

  private final Libc libc;
  private final List<Integer> open = new ArrayList<>();

  Descriptors(Libc libc) {
    this.libc = libc;
  }

  /** Opens a file; returns the negative error number if that fails. */
  int open(String path, int flags, int mode) {
    return keep(libc.open(path, flags | Platform.O_CLOEXEC | Platform.O_NOCTTY, mode));
  }

  /** Takes over a descriptor that was opened elsewhere; an error number is passed through. */
  int keep(int descriptor) {
    if (descriptor < 0) {
      return descriptor;
    }
    int kept = descriptor;
    if (descriptor < LOWEST) {
      kept = libc.fcntl(descriptor, F_DUPFD_CLOEXEC, LOWEST);
      libc.close(descriptor);
      if (kept < 0) {
        return kept;
      }
    }
    open.add(kept);
    return kept;
  }

  /** Leaves a descriptor open when this object is closed. */
  void release(int descriptor) {
    open.removeIf(kept -> kept == descriptor);
  }

  @Override
  public void close() {
    open.forEach(libc::close);
    open.clear();
  }
}
