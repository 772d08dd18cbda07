package dev.kron.store;

import dev.kron.store.DiskException.Reason;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file that grows by whole lines. A line without its line break was never acknowledged and does
 * not count. After a failed append the end of the file is unknown, and another fsync of it would
 * prove nothing, so the next append rewrites the whole file. Lines are streamed rather than held in
 * memory, so a hundred thousand at once are no problem.
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

  /** All complete lines, with their line breaks; empty if there is no file. */
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

  /** Appends lines; durable when it returns. */
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

  /** Rewrites the file with new lines before and after the present ones. */
  void rewrite(AtomicFiles.Content before, AtomicFiles.Content after) throws DiskException {
    replace(
        output -> {
          before.writeTo(output);
          copyLines(output);
          after.writeTo(output);
        });
  }

  /** Replaces all lines; durable when it returns. */
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
