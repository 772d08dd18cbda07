package dev.kron.store;

import dev.kron.store.DiskException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's error numbers (the same on x86-64 and arm64), and the C library's words for them.
 */
final class Errno {
  static final int ENOENT = 2;
  static final int EAGAIN = 11;

  private Errno() {}

  static Reason reason(int errno) {
    return switch (errno) {
      case 1, 13 -> Reason.NO_PERMISSION;
      case 2 -> Reason.NOT_FOUND;
      case 5 -> Reason.INPUT_OUTPUT;
      case 17 -> Reason.EXISTS;
      case 20, 21 -> Reason.NOT_A_FILE;
      case 28, 122 -> Reason.NO_SPACE;
      case 30 -> Reason.READ_ONLY;
      case 39 -> Reason.NOT_EMPTY;
      case 40 -> Reason.SYMBOLIC_LINK;
      default -> Reason.OTHER;
    };
  }

  static String text(int errno) {
    return switch (errno) {
      case 1 -> "operation not permitted";
      case 12 -> "out of memory";
      case 20 -> "not a directory";
      case 21 -> "is a directory";
      case 23 -> "too many open files in the system";
      case 24 -> "too many open files";
      case 36 -> "file name too long";
      case 116 -> "stale file handle";
      case 122 -> "disk quota exceeded";
      default -> {
        Reason reason = reason(errno);
        yield reason == Reason.OTHER ? "failed with error " + errno : reason.text();
      }
    };
  }

  /** The reason for an error of which the JDK gives only the C library's message. */
  static Reason reason(@Nullable String words) {
    if (words == null) {
      return Reason.OTHER;
    }
    return switch (words) {
      case "No space left on device", "Disk quota exceeded" -> Reason.NO_SPACE;
      case "Input/output error" -> Reason.INPUT_OUTPUT;
      case "Read-only file system" -> Reason.READ_ONLY;
      case "Operation not permitted" -> Reason.NO_PERMISSION;
      case "Not a directory", "Is a directory" -> Reason.NOT_A_FILE;
      default -> Reason.OTHER;
    };
  }
}
