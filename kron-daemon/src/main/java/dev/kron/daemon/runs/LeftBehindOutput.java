package dev.kron.daemon.runs;

import dev.kron.process.FileSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The output of runs that are over, to which processes may write that they left behind. Nothing of
 * it is handed on; it is kept within its bound for as long as somebody has it open.
 */
final class LeftBehindOutput {
  private final long limitBytes;

  /** The files, and how long each was at the last look. */
  private final Map<Path, Long> files = new ConcurrentHashMap<>();

  private boolean tooLong;

  LeftBehindOutput(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Takes a file to which somebody can write; says whether somebody can. */
  boolean add(Path file) {
    boolean written = FileSpace.isBeingWritten(file);
    if (written) {
      files.putIfAbsent(file, 0L);
    }
    return written;
  }

  boolean isEmpty() {
    return files.isEmpty();
  }

  /** Whether one of them was longer than it may be at the last look. */
  boolean areTooLong() {
    return tooLong;
  }

  /** Bounds them all, lets go of those that nobody writes to, and says whether any has grown. */
  boolean bound() {
    boolean grown = false;
    tooLong = false;
    for (Map.Entry<Path, Long> each : Map.copyOf(files).entrySet()) {
      Path file = each.getKey();
      long size = trim(file);
      if (size > each.getValue()) {
        grown = true;
        files.put(file, size);
      } else if (!FileSpace.isBeingWritten(file)) {
        files.remove(file);
      }
    }
    return grown;
  }

  private long trim(Path file) {
    try {
      long size = Files.size(file);
      if (size > limitBytes) {
        tooLong = true;
        DroppedMiddle.trim(file, limitBytes);
      }
      return size;
    } catch (IOException e) {
      return 0; // not there, or the next look tries again
    }
  }
}
