package dev.kron.store;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Replacement of whole files as the state specification wants it: temporary file in the same
 * directory, fsync, rename, fsync of the directory. Whenever that is interrupted, either the old
 * file or the new one is there.
 */
public final class AtomicFiles {
  /** The content of a file. */
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

  /**
   * Replaces a file; durable when it returns. When it throws, the old content may or may not have
   * been replaced.
   */
  public void replace(Path file, byte[] content) throws DiskException {
    replace(file, output -> output.write(content, 0, content.length));
  }

  /**
   * Replaces a file; durable when it returns. When it throws, the old content may or may not have
   * been replaced.
   */
  void replace(Path file, Content content) throws DiskException {
    Path temporary = writeTemporary(file, content);
    renameOrDelete(temporary, file);
    disk.syncDirectory(directory(file));
  }

  /**
   * Reads a whole file.
   *
   * @throws DiskException also if it is larger than the limit
   */
  public byte[] read(Path file, int limitBytes) throws DiskException {
    FileStatus status = disk.status(file);
    if (status == null) {
      throw new DiskException("read", file, DiskException.Reason.NOT_FOUND);
    }
    // The buffer has one byte to spare: if it is full, there is more than the limit.
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

  /**
   * Whether a name is that of a temporary file made here. One that a killed daemon left behind may
   * be removed.
   */
  static boolean isTemporary(String name) {
    return name.endsWith(SUFFIX);
  }

  /** Writes a temporary file beside the given one; its content is durable, its name is not yet. */
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
        // The name is taken by an earlier daemon or another writer: the next number is free.
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

  /** Removes a temporary file if possible; otherwise the next start does. */
  void discard(Path temporary) {
    try {
      disk.delete(temporary);
    } catch (DiskException e) {
      // Nothing relies on the removal, and the failure that led here is the one to report.
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
