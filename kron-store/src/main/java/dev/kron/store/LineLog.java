package dev.kron.store;

import dev.kron.store.DiskException.Reason;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file that grows by whole lines. A line without its end was never acknowledged and does not
 * count. After an append that failed nothing is known about the file's tail, and a second fsync of
 * it would prove nothing, so the next one writes the whole file anew. Nothing is held in memory
 * that can be passed through: a hundred thousand lines at once are nothing special.
 */
final class LineLog {
  private static final int CHUNK_BYTES = 64 * 1024;

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
      if (e.reason() == Reason.NOT_FOUND) {
        return new byte[0];
      }
      throw e;
    }
    int end = endOfLines(content, content.length);
    return end == content.length ? content : Arrays.copyOf(content, end);
  }

  private static int endOfLines(byte[] bytes, int length) {
    int end = length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  /** Durable when it returns. */
  void append(AtomicFiles.Content lines) throws DiskException {
    if (!tailKnown) {
      rewrite(output -> {}, lines);
      return;
    }
    tailKnown = false;
    try (Disk.Output output = disk.append(file)) {
      lines.writeTo(output);
      output.sync();
    }
    tailKnown = true;
  }

  /** Writes the file anew, with lines before and after those that are there. */
  void rewrite(AtomicFiles.Content before, AtomicFiles.Content after) throws DiskException {
    replace(
        output -> {
          before.writeTo(output);
          copyLines(output);
          after.writeTo(output);
        });
  }

  /** Durable when it returns. */
  void replace(AtomicFiles.Content lines) throws DiskException {
    tailKnown = false;
    files.replace(file, lines);
    tailKnown = true;
  }

  private void copyLines(Disk.Output output) throws DiskException {
    byte[] chunk = new byte[CHUNK_BYTES];
    long offset = 0;
    while (true) {
      int length = readChunk(offset, chunk);
      int end = endOfLines(chunk, length);
      if (end == 0) {
        return; // nothing more, or a tail that never got its end
      }
      output.write(chunk, 0, end);
      offset += end;
    }
  }

  private int readChunk(long offset, byte[] chunk) throws DiskException {
    try {
      return disk.read(file, offset, chunk);
    } catch (DiskException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return 0;
      }
      throw e;
    }
  }
}
