package dev.kron.store;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The file {@code boot} of a state directory: the boot in which a daemon was last ready. */
public final class BootFile {
  static final String FILE = "boot";
  private static final int LIMIT_BYTES = 128 << 20;

  private final AtomicFiles files;
  private final Path file;

  BootFile(Disk disk, Path directory) {
    this.files = new AtomicFiles(disk);
    this.file = directory.resolve(FILE);
  }

  /** Reads the file; null if it is missing or cannot be understood. */
  public @Nullable BootRecord read() throws DiskException {
    try {
      return BootRecord.parse(files.read(file, LIMIT_BYTES));
    } catch (DiskException e) {
      if (e.reason() == DiskException.Reason.NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }

  /** Replaces the file; durable when it returns. */
  public void write(BootRecord record) throws DiskException {
    files.replace(file, record.bytes());
  }
}
