package dev.kron.daemon.runs;

import dev.kron.process.FileSpace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The part of a run's captured output that was freed because there was too much of it. The file
 * {@code stdout.dropped} or {@code stderr.dropped} beside it says which part; the output file keeps
 * its size, and processes that append to it notice nothing.
 *
 * @param from offset of the first byte that is gone
 * @param to offset of the first byte after the gap
 */
public record DroppedMiddle(long from, long to) {
  private static final DroppedMiddle NOTHING = new DroppedMiddle(0, 0);

  /** The growth after which a file is trimmed again, as a fraction of its limit. */
  private static final int SHARE = 16;

  /** The gap of a file; an empty range if there is none. */
  public static DroppedMiddle of(Path file) {
    try {
      String[] words = Files.readString(note(file)).strip().split(" ");
      return new DroppedMiddle(Long.parseLong(words[0]), Long.parseLong(words[1]));
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return NOTHING;
    }
  }

  private static Path note(Path file) {
    return file.resolveSibling(file.getFileName() + ".dropped");
  }

  public long bytes() {
    return to - from;
  }

  /** The text that is shown in place of the gap. */
  public String notice() {
    return "[krond: " + bytes() + " bytes dropped here]";
  }

  /** Whether an offset is in the gap. */
  public boolean holds(long offset) {
    return offset >= from && offset < to;
  }

  /**
   * Frees the middle of a file that has become too large: half of the limit is kept at its
   * beginning and half at its end. Bytes written into the freed part later are freed too.
   *
   * <p>One at a time: the note of one file must not be taken for that of another.
   *
   * @return the gap as it is now; null if nothing more was freed
   */
  public static synchronized @Nullable DroppedMiddle trim(Path file, long limitBytes)
      throws IOException {
    long half = limitBytes / 2;
    long size = Files.size(file);
    if (size <= limitBytes) {
      return null;
    }
    DroppedMiddle before = of(file);
    boolean grown = size - Math.max(before.to, half) >= half + limitBytes / SHARE;
    if (!grown && before.bytes() == 0) {
      return null;
    }
    try (FileSpace space = FileSpace.open(file)) {
      if (!grown) {
        before.freeAgain(space);
        return null;
      }
      long block = space.blockBytes();
      long from = Math.ceilDiv(half, block) * block;
      long to = (size - half) / block * block;
      if (to <= Math.max(from, before.to)) {
        return null;
      }
      var dropped = new DroppedMiddle(from, to);
      // The note comes first: a gap must never look like zeros that somebody wrote.
      Private.write(note(file), (from + " " + to + "\n").getBytes(StandardCharsets.UTF_8));
      if (!space.punchHole(from, to - from)) {
        Private.write(
            note(file), (before.from + " " + before.to + "\n").getBytes(StandardCharsets.UTF_8));
        return null;
      }
      return dropped;
    }
  }

  private void freeAgain(FileSpace space) throws IOException {
    Long data = space.dataFrom(from);
    if (data != null && data < to) {
      space.punchHole(from, to - from);
    }
  }
}
