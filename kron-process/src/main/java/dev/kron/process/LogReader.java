package dev.kron.process;

import static java.nio.file.StandardOpenOption.READ;

import dev.kron.process.RotationRecord.Phase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The reader of a log, by offsets in the whole stream that was ever written to it. Offsets stay
 * valid across rotations, even while one is under way in this process or another; so a reader that
 * follows a log sees neither a gap nor a line twice.
 *
 * <p>A read counts only if the rotation's record is the same before and after it: every step that
 * moves bytes is recorded before it happens.
 */
public final class LogReader {
  private static final long RETRY_NANOS = 2_000_000;
  private static final int MOST_RETRIES = 2_500;
  private static final int LINE_REACH_BYTES = 64 << 10;

  private final Path log;

  public LogReader(Path log) {
    this.log = log.toAbsolutePath();
  }

  /** The position of the file in the stream at one moment. */
  private record View(@Nullable RotationRecord record, long base, long start, long size) {
    long end() {
      return base + size;
    }
  }

  /** The offset of the oldest byte that still exists; 0 if nothing was written yet. */
  public long begin() throws IOException {
    return consistently(
        view -> {
          requireNumbered(view);
          return view.start() - sizeOfRotated();
        });
  }

  /** The offset after the newest byte. */
  public long end() throws IOException {
    return consistently(View::end);
  }

  /**
   * The beginning of the first line at or after an offset. If the oldest lines are gone, the file
   * may begin in the middle of a line, which is skipped.
   *
   * @return the offset itself if no line ends within reach
   */
  public long lineFrom(long offset) throws IOException {
    long begin = begin();
    long from = Math.max(offset, begin);
    if (from == 0) {
      return 0;
    }
    byte[] buffer = new byte[LINE_REACH_BYTES];
    long look = from > begin ? from - 1 : from; // the byte before tells, if it is there still
    int count = read(look, buffer);
    for (int i = 0; i < count; i++) {
      if (buffer[i] == '\n') {
        return look + i + 1;
      }
    }
    return from;
  }

  /**
   * Reads from an offset.
   *
   * @return the number of bytes, at least one; 0 at the end; -1 if the offset lies before {@link
   *     #begin}, so that part is gone
   */
  public int read(long offset, byte[] buffer) throws IOException {
    if (offset < 0 || buffer.length == 0) {
      throw new IllegalArgumentException("nothing to read at " + offset);
    }
    return (int) consistently(view -> read(view, offset, ByteBuffer.wrap(buffer)));
  }

  /**
   * Skips a hole: a process can make its log longer without writing to it.
   *
   * @return the first offset from there on that was written, or the end
   */
  public long skipHole(long offset) throws IOException {
    return consistently(
        view -> {
          Piece piece = piece(view, offset);
          if (piece == null || offset >= view.end()) {
            return offset;
          }
          try (FileSpace space = FileSpace.open(piece.file())) {
            Long data = space.dataFrom(offset - piece.base());
            return piece.base() + (data == null ? Files.size(piece.file()) : data);
          }
        });
  }

  /** A query on a log that does not change meanwhile. */
  private interface Question {
    long ask(View view) throws IOException;
  }

  private long consistently(Question question) throws IOException {
    for (int i = 0; i < MOST_RETRIES; i++) {
      View before = view();
      if (before != null) {
        try {
          long answer = question.ask(before);
          View after = view();
          if (after != null
              && java.util.Objects.equals(before.record(), after.record())
              && before.base() == after.base()) {
            return answer;
          }
        } catch (NoSuchFileException e) {
          // The file was renamed meanwhile; if it was not, the next attempt fails as well.
        }
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
    throw new IOException(
        log + " is in the middle of a rotation that nobody finishes; the daemon does at its start");
  }

  /** The present position; null while a rotation is at a point where it cannot be determined. */
  private @Nullable View view() throws IOException {
    RotationRecord record = RotationRecord.read(log);
    if (!Files.exists(log)) {
      long at = record == null ? 0 : record.start();
      return new View(record, at, at, 0);
    }
    if (record == null) {
      return new View(null, 0, 0, Files.size(log));
    }
    long base = record.base();
    if (record.phase() == Phase.TRUNCATING) {
      return null;
    }
    if (record.phase() == Phase.PUNCHED) {
      try (FileSpace space = FileSpace.open(log)) {
        base = LogRotation.beginsWithHole(space) ? base : record.start();
      }
    }
    return new View(record, base, record.start(), Files.size(log));
  }

  private long read(View view, long offset, ByteBuffer buffer) throws IOException {
    Piece piece = piece(view, offset);
    if (piece == null) {
      return -1;
    }
    return offset >= view.end() ? 0 : read(piece.file(), offset - piece.base(), buffer);
  }

  /**
   * A file with a part of the stream.
   *
   * @param base the offset of its first byte
   */
  private record Piece(Path file, long base) {}

  /** The file that contains an offset; null if that part is gone. */
  private @Nullable Piece piece(View view, long offset) throws IOException {
    if (offset >= view.start()) {
      return new Piece(log, view.base());
    }
    requireNumbered(view);
    long from = view.start();
    for (int number = 1; ; number++) {
      Path file = LogRotation.rotated(log, number);
      if (!Files.exists(file)) {
        return null;
      }
      from -= Files.size(file);
      if (offset >= from) {
        return new Piece(file, from);
      }
    }
  }

  /** Refuses to use file numbers while files are being renamed. */
  private static void requireNumbered(View view) throws NoSuchFileException {
    RotationRecord record = view.record();
    if (record != null && record.phase() == Phase.COPIED) {
      throw new NoSuchFileException("rotated files are being renamed");
    }
  }

  private static int read(Path file, long at, ByteBuffer buffer) throws IOException {
    buffer.clear();
    try (FileChannel in = FileChannel.open(file, READ, LinkOption.NOFOLLOW_LINKS)) {
      return Math.max(0, in.read(buffer, at));
    }
  }

  private long sizeOfRotated() throws IOException {
    long sum = 0;
    for (int number = 1; Files.exists(LogRotation.rotated(log, number)); number++) {
      sum += Files.size(LogRotation.rotated(log, number));
    }
    return sum;
  }
}
