package dev.kron.store;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file that grows by whole lines. A line without its end was never acknowledged and does not
 * count. After an append that failed nothing is known about the file's tail, and a second fsync of
 * it would prove nothing, so the next one writes the whole file anew.
 */
final class LineLog {
  private final Disk disk;
  private final AtomicFiles files;
  private final Path file;
  private final int limitBytes;
  private boolean tailKnown;

  LineLog(Disk disk, Path file, int limitBytes) {
    this.disk = disk;
    this.files = new AtomicFiles(disk);
    this.file = file;
    this.limitBytes = limitBytes;
  }

  /** All complete lines, with their ends; empty where there is no file. */
  byte[] read() throws DiskException {
    byte[] content;
    try {
      content = files.read(file, limitBytes);
    } catch (DiskException e) {
      if (e.reason() == DiskException.Reason.NOT_FOUND) {
        return new byte[0];
      }
      throw e;
    }
    int end = content.length;
    while (end > 0 && content[end - 1] != '\n') {
      end--;
    }
    return end == content.length ? content : Arrays.copyOf(content, end);
  }

  /** Durable when it returns. */
  void append(byte[] lines) throws DiskException {
    if (!tailKnown) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(read());
      all.writeBytes(lines);
      replace(all.toByteArray());
      return;
    }
    tailKnown = false;
    try (Disk.Output output = disk.append(file)) {
      output.write(lines, 0, lines.length);
      output.sync();
    }
    tailKnown = true;
  }

  /** Durable when it returns. */
  void replace(byte[] lines) throws DiskException {
    tailKnown = false;
    files.replace(file, lines);
    tailKnown = true;
  }
}
