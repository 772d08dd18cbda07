package dev.kron.process;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a log's rotation, in a small file beside it, {@code NAME.rotation}. Offsets are
 * those of the whole stream that was ever written; no rotation changes them.
 *
 * @param inode of the log
 * @param base the offset of the file's first byte
 * @param start the stream is in rotated files before this offset, and in the log from here on
 * @param cut the end of the part that is being rotated; equal to {@code start} if none is
 */
record RotationRecord(Phase phase, long inode, long base, long start, long cut) {

  /** The phases of a rotation; each is durable before the next begins. */
  enum Phase {
    /** No rotation is under way. */
    IDLE,
    /** {@code NAME.rotating} contains the stream from start to cut; old files are being renamed. */
    COPIED,
    /** The copy is {@code NAME.1}; the part before start is being freed in the log. */
    FREEING,
    /** The part is freed, and is being removed from the file, unless it was already. */
    PUNCHED,
    /** The file system cannot free a part; the log is being emptied. */
    TRUNCATING
  }

  private static final String SUFFIX = ".rotation";
  private static final String FORMAT = "1";

  static RotationRecord idle(long inode, long at) {
    return new RotationRecord(Phase.IDLE, inode, at, at, at);
  }

  /** The record of a log; null if there is none, or none that can be read. */
  static @Nullable RotationRecord read(Path log) throws IOException {
    String text;
    try {
      text = Files.readString(file(log), US_ASCII);
    } catch (NoSuchFileException e) {
      return null;
    }
    String[] words = text.strip().split(" ");
    if (words.length != 6 || !words[0].equals(FORMAT) || !text.endsWith("\n")) {
      return null;
    }
    try {
      return new RotationRecord(
          Phase.valueOf(words[1]),
          Long.parseLong(words[2]),
          Long.parseLong(words[3]),
          Long.parseLong(words[4]),
          Long.parseLong(words[5]));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * Writes the record.
   *
   * @param durable whether it is durable when it returns; off only in tests without loss of power
   */
  void write(Path log, boolean durable) throws IOException {
    Path file = file(log);
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    String text = "%s %s %s %s %s %s\n".formatted(FORMAT, phase, inode, base, start, cut);
    try (FileChannel out = create(temporary)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(US_ASCII));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      if (durable) {
        out.force(true);
      }
    }
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    if (durable) {
      syncDirectory(log);
    }
  }

  /** Creates an empty file of our own, replacing whatever is there. */
  static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        Set.of(WRITE, CREATE, TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  static void syncDirectory(Path log) throws IOException {
    try (FileChannel directory = FileChannel.open(log.toAbsolutePath().getParent(), READ)) {
      directory.force(true);
    }
  }

  private static Path file(Path log) {
    return log.resolveSibling(log.getFileName() + SUFFIX);
  }

  RotationRecord in(Phase next) {
    return new RotationRecord(next, inode, base, start, cut);
  }

  RotationRecord cutAt(Phase next, long at) {
    return new RotationRecord(next, inode, base, start, at);
  }

  /** The same record once the cut-off part is in a rotated file. */
  RotationRecord startedAtCut(Phase next) {
    return new RotationRecord(next, inode, base, cut, cut);
  }

  /** The same record once the file begins at the stream's start. */
  RotationRecord collapsed() {
    return new RotationRecord(Phase.IDLE, inode, start, start, start);
  }
}
