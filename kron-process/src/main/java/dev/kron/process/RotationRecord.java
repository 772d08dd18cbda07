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
 * How far the rotation of a log has come, in a small file beside it, {@code NAME.rotation}. Offsets
 * are those of the whole stream that was ever written, which no rotation changes.
 *
 * @param inode of the log
 * @param base what stands at the beginning of the file
 * @param start up to here the stream is in rotated files, from here on in the log
 * @param cut up to where the rotation under way reaches; the same as {@code start} where none is
 */
record RotationRecord(Phase phase, long inode, long base, long start, long cut) {

  /** What is done so far, each durable before the next begins. */
  enum Phase {
    /** No rotation is under way. */
    IDLE,
    /** {@code NAME.rotating} holds the stream from start to cut; old files are being renamed. */
    COPIED,
    /** It is {@code NAME.1}; what is before start is being freed in the log. */
    FREEING,
    /** It is freed, and is being taken out of the file, unless it was already. */
    PUNCHED,
    /** There is no way to free it: the log is being emptied. */
    TRUNCATING
  }

  private static final String SUFFIX = ".rotation";
  private static final String FORMAT = "1";

  static RotationRecord idle(long inode, long at) {
    return new RotationRecord(Phase.IDLE, inode, at, at, at);
  }

  /** What is on record; null: nothing, or nothing that can be read. */
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
   * @param durable as it is when it returns; off only where no power is ever lost
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

  /** A file of ours alone, empty, in place of what may be there. */
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

  /** What was cut off is in a rotated file now. */
  RotationRecord startedAtCut(Phase next) {
    return new RotationRecord(next, inode, base, cut, cut);
  }

  /** The file begins where the stream in it begins. */
  RotationRecord collapsed() {
    return new RotationRecord(Phase.IDLE, inode, start, start, start);
  }
}
