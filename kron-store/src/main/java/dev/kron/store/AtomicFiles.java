package dev.kron.store;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whole files, replaced in the way of the state specification: temporary file in the same
 * directory, fsync, rename, fsync of the directory. Whatever happens in between, the old file or
 * the new one stands there.
 */
public final class AtomicFiles {
  /** What is to stand in a file. */
  @FunctionalInterface
  interface Content {
    void writeTo(Disk.Output output) throws DiskException;
  }

  private static final String SUFFIX = ".kron-tmp";
  private final Disk disk;
  private final AtomicLong sequence = new AtomicLong();

  public AtomicFiles(Disk disk) {
    this.disk = disk;
  }

  /** Durable when it returns; when it throws, the old content may or may not have been replaced. */
  public void replace(Path file, byte[] content) throws DiskException {
    replace(file, output -> output.write(content, 0, content.length));
  }

  /** Durable when it returns; when it throws, the old content may or may not have been replaced. */
  void replace(Path file, Content content) throws DiskException {
    Path temporary = writeTemporary(file, content);
    renameOrDelete(temporary, file);
    disk.syncDirectory(directory(file));
  }

  /**
   * All of a file.
   *
   * @throws DiskException also where it is larger than the limit
   */
  public byte[] read(Path file, int limitBytes) throws DiskException {
    FileStatus status = disk.status(file);
    if (status == null) {
      throw new DiskException("read", file, DiskException.Reason.NOT_FOUND);
    }
    // One more than there is, so that a full buffer means that there is more.
    byte[] buffer = new byte[(int) Math.min(status.size(), limitBytes) + 1];
    int length = disk.read(file, 0, buffer);
    while (length == buffer.length && length <= limitBytes) {
      buffer = new byte[(int) Math.min(limitBytes + 1L, buffer.length * 2L)];
      length = disk.read(file, 0, buffer);
    }
    if (length > limitBytes) {
      throw new DiskException(
          "read", file, DiskException.Reason.TOO_LARGE, "larger than " + limitBytes + " bytes");
    }
    return Arrays.copyOf(buffer, length);
  }

  /** Made here, and by nobody else: left behind by a killed daemon, it may be removed. */
  static boolean isTemporary(String name) {
    return name.endsWith(SUFFIX);
  }

  /** A temporary file beside the given one, its content durable, its name not yet. */
  Path writeTemporary(Path file, Content content) throws DiskException {
    while (true) {
      Path temporary = temporary(file);
      try (Disk.Output output = disk.create(temporary)) {
        content.writeTo(output);
        output.sync();
        return temporary;
      } catch (DiskException e) {
        if (e.reason() != DiskException.Reason.EXISTS) {
          discard(temporary);
          throw e;
        }
        // Left behind by an earlier daemon, or another writer's: the next number is free.
      }
    }
  }

  void renameOrDelete(Path temporary, Path file) throws DiskException {
    try {
      disk.rename(temporary, file);
    } catch (DiskException e) {
      discard(temporary);
      throw e;
    }
  }

  /** Best effort: what stays is removed at the next start. */
  void discard(Path temporary) {
    try {
      disk.delete(temporary);
    } catch (DiskException e) {
      // Nothing relies on it, and the failure that led here is the one to report.
    }
  }

  private Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + "." + sequence.incrementAndGet() + SUFFIX);
  }

  static Path directory(Path file) {
    Path parent = file.getParent();
    if (parent == null) {
      throw new IllegalArgumentException("an absolute path expected, not " + file);
    }
    return parent;
  }
}
