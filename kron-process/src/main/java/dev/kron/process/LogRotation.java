package dev.kron.process;

import static java.nio.file.StandardOpenOption.READ;

import dev.kron.process.RotationRecord.Phase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rotation of a log that processes hold open with {@code O_APPEND}, without losing a byte and
 * without their help: the head of the file is copied to {@code NAME.1}, made durable, and then
 * freed in place. {@code NAME.1} becomes {@code NAME.2}, and so on.
 *
 * <p>Rotated files and the log put together are exactly what was written. Where the file system can
 * take blocks out of a file (ext4, XFS), the log is short again afterwards; it is cut at a block's
 * boundary, so that a line may begin in one file and end in the next. Where it can only free them
 * (tmpfs, btrfs), the log begins with a hole, which reads as zeros. Where it can do neither, the
 * log is emptied after copying, and what is written at that very moment is lost: {@link
 * Method#TRUNCATED} tells.
 *
 * <h2>Killed at any step</h2>
 *
 * {@link RotationRecord} says how far a rotation has come, and each step may be repeated until the
 * next one is on record. Freeing a hole twice does no harm; taking it out twice would. So the two
 * are apart: once the hole is on record, a file that begins with data has lost it already.
 *
 * <p>One at a time for a log; for any number of readers, see {@link LogReader}.
 *
 * <p>One file, though a long one: the steps follow each other, and each knows what the one before
 * it has put on record.
 */
public final class LogRotation {

  /** The ways to free the head of a log. */
  public enum Method {
    COLLAPSED,
    PUNCHED,
    /** By emptying the file, which may lose bytes written at that moment. */
    TRUNCATED
  }

  /**
   * The result of a rotation.
   *
   * @param files how many files were made
   * @param method null if there was nothing to do
   * @param droppedBytes bytes that arrived so fast that they were freed without being copied
   */
  public record Outcome(int files, @Nullable Method method, long droppedBytes) {}

  private final Path log;
  private final long maximumBytes;
  private final int keep;
  private final Method best;
  private final boolean durable;
  private final Consumer<String> reached;
  private Method used = Method.COLLAPSED;

  /**
   * A rotation of a log.
   *
   * @param maximumBytes the approximate size of a rotated file
   * @param keep how many rotated files are kept
   */
  public LogRotation(Path log, long maximumBytes, int keep) {
    this(log, maximumBytes, keep, Method.COLLAPSED, true, step -> {});
  }

  /**
   * The same, for tests.
   *
   * @param best the best method that the file system may be used with
   * @param durable off where only killing is tested, not a loss of power
   * @param reached called at each step, to die there
   */
  LogRotation(
      Path log,
      long maximumBytes,
      int keep,
      Method best,
      boolean durable,
      Consumer<String> reached) {
    if (maximumBytes < 1 || keep < 0) {
      throw new IllegalArgumentException(maximumBytes + " bytes, " + keep + " kept: too small");
    }
    this.log = log.toAbsolutePath();
    this.maximumBytes = maximumBytes;
    this.keep = keep;
    this.best = best;
    this.durable = durable;
    this.reached = reached;
  }

  /** The path of a rotated file; number 1 is the newest. */
  static Path rotated(Path log, int number) {
    return log.resolveSibling(log.getFileName() + "." + number);
  }

  /** Whether a rotation may be due; costs next to nothing. */
  public boolean isDue() throws IOException {
    if (!Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    RotationRecord record = RotationRecord.read(log);
    return Files.size(log) >= maximumBytes || (record != null && record.phase() != Phase.IDLE);
  }

  /**
   * Finishes an interrupted rotation, then rotates until what was in the log at the beginning is
   * small enough. What is written meanwhile is left to the next time; otherwise a process that
   * writes as fast as this copies would keep it busy for ever.
   */
  public Outcome rotate() throws IOException {
    if (!Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS)) {
      return new Outcome(0, null, 0);
    }
    try (FileSpace space = FileSpace.open(log);
        FileChannel in = FileChannel.open(log, READ, LinkOption.NOFOLLOW_LINKS)) {
      RotationRecord record = known(in.size());
      if (record.phase() != Phase.IDLE) {
        record = finished(record, space, in);
      }
      long before = record.start();
      record = withoutSurplus(record, space, in);
      long dropped = record.start() - before;
      long end = record.base() + in.size();
      int files = 0;
      for (long cut = cut(record, end - record.base(), space);
          cut > record.start();
          cut = cut(record, end - record.base(), space)) {
        record = finished(copied(record, cut, space, in), space, in);
        files++;
      }
      return new Outcome(files, files == 0 ? null : used, dropped);
    }
  }

  /**
   * Frees bytes that would be copied out only to be deleted for newer files, since a process may
   * write faster than anybody copies. These bytes go first, then the files before them; if the
   * daemon dies in between, they are a hole like any other.
   */
  private RotationRecord withoutSurplus(RotationRecord record, FileSpace space, FileChannel in)
      throws IOException {
    long kept = Math.multiplyHigh(maximumBytes, keep + 1L) == 0 ? maximumBytes * (keep + 1L) : -1;
    long from = record.start() - record.base();
    long size = in.size();
    if (kept <= 0 || kept > size / 2 || endOf(2 * kept, from, size, space) < 0) {
      return record;
    }
    long cut = (size - kept) / space.blockBytes() * space.blockBytes();
    if (cut <= from || best == Method.TRUNCATED || !space.punchHole(0, cut)) {
      return record;
    }
    reached.accept("surplus freed");
    for (int number = 1; Files.deleteIfExists(rotated(log, number)); ) {
      number++;
    }
    RotationRecord next =
        record.cutAt(Phase.COPIED, record.base() + cut).startedAtCut(Phase.PUNCHED);
    next.write(log, durable);
    return finished(next, space, in);
  }

  private RotationRecord known(long size) throws IOException {
    long inode =
        ((Number) Files.getAttribute(log, "unix:ino", LinkOption.NOFOLLOW_LINKS)).longValue();
    RotationRecord record = RotationRecord.read(log);
    if (record == null) {
      return RotationRecord.idle(inode, 0);
    }
    boolean shortened = record.phase() == Phase.IDLE && size < record.start() - record.base();
    // The file was replaced or emptied by somebody: the stream continues from here.
    if (record.inode() == inode && !shortened) {
      return record;
    }
    if (record.phase() == Phase.COPIED) {
      renumber();
    }
    return RotationRecord.idle(inode, Math.max(record.start(), record.cut()));
  }

  /**
   * The offset at which the stream is cut: at a block boundary of the file, with bytes after it. It
   * is the start if the file is not long enough for that. Holes do not count.
   */
  private long cut(RotationRecord record, long size, FileSpace space) throws IOException {
    long from = record.start() - record.base();
    long end = endOf(maximumBytes, from, size, space);
    if (end < 0) {
      return record.start();
    }
    long block = space.blockBytes();
    long cut = Math.min(end, size - 1) / block * block;
    if (cut <= from) {
      cut = (from + block) / block * block;
    }
    return cut < size ? record.base() + cut : record.start();
  }

  /** The offset after so many written bytes, from an offset on; -1 if there are fewer. */
  private static long endOf(long bytes, long from, long size, FileSpace space) throws IOException {
    long left = bytes;
    for (Part part = Part.from(from, size, space);
        part != null;
        part = Part.from(part.to(), size, space)) {
      if (part.to() - part.from() >= left) {
        return part.from() + left;
      }
      left -= part.to() - part.from();
    }
    return -1;
  }

  /** A written range of a file, between two holes. */
  private record Part(long from, long to) {
    static @Nullable Part from(long offset, long end, FileSpace space) throws IOException {
      Long data = offset < end ? space.dataFrom(offset) : null;
      if (data == null || data >= end) {
        return null;
      }
      Long hole = space.holeFrom(data);
      return new Part(data, hole == null || hole <= data ? end : Math.min(hole, end));
    }
  }

  private RotationRecord copied(RotationRecord record, long cut, FileSpace space, FileChannel in)
      throws IOException {
    if (keep > 0) {
      long from = record.start() - record.base();
      try (FileChannel out = RotationRecord.create(rotating())) {
        transfer(in, space, from, cut - record.base(), out, rotating(), from);
        force(out);
      }
    }
    reached.accept("copied");
    RotationRecord next = record.cutAt(Phase.COPIED, cut);
    next.write(log, durable);
    return next;
  }

  private void force(FileChannel out) throws IOException {
    if (durable) {
      out.force(true);
    }
  }

  /**
   * Copies a range; holes stay holes and take neither time nor space.
   *
   * @param shift by how much the offsets in the copy are smaller
   */
  private static void transfer(
      FileChannel in, FileSpace space, long from, long to, FileChannel out, Path copy, long shift)
      throws IOException {
    for (Part part = Part.from(from, to, space);
        part != null;
        part = Part.from(part.to(), to, space)) {
      out.position(part.from() - shift);
      for (long at = part.from(); at < part.to(); ) {
        long moved = in.transferTo(at, part.to() - at, out);
        if (moved <= 0) {
          throw new IOException("the log became shorter while it was rotated");
        }
        at += moved;
      }
    }
    if (out.size() < to - shift) {
      try (FileSpace end = FileSpace.open(copy)) {
        end.truncate(to - shift);
      }
    }
  }

  /** Completes a rotation from whatever phase it has reached. */
  private RotationRecord finished(RotationRecord from, FileSpace space, FileChannel in)
      throws IOException {
    RotationRecord record = from;
    reached.accept(record.phase().toString());
    if (record.phase() == Phase.COPIED) {
      renumber();
      record = record.startedAtCut(Phase.FREEING);
      record.write(log, durable);
      reached.accept("FREEING");
    }
    if (record.phase() == Phase.FREEING) {
      if (best == Method.TRUNCATED || !space.punchHole(0, record.start() - record.base())) {
        return truncated(record, space, in);
      }
      reached.accept("freed");
      sync();
      record = record.in(Phase.PUNCHED);
      record.write(log, durable);
      reached.accept("PUNCHED");
    }
    if (record.phase() == Phase.PUNCHED) {
      return takenOut(record, space);
    }
    return truncated(record, space, in);
  }

  private RotationRecord takenOut(RotationRecord record, FileSpace space) throws IOException {
    boolean done = !beginsWithHole(space);
    if (!done && best == Method.COLLAPSED) {
      done = space.collapse(0, record.start() - record.base());
      reached.accept("taken out");
      sync();
    }
    used = done ? Method.COLLAPSED : Method.PUNCHED;
    RotationRecord next = done ? record.collapsed() : record.in(Phase.IDLE);
    next.write(log, durable);
    reached.accept("IDLE");
    return next;
  }

  static boolean beginsWithHole(FileSpace space) throws IOException {
    Long data = space.dataFrom(0);
    return data == null || data > 0;
  }

  /** Renames old files to the next number, from the first gap on, so that it can be repeated. */
  private void renumber() throws IOException {
    for (int number = keep + 1; Files.deleteIfExists(rotated(log, number)); ) {
      number++; // more were kept once
    }
    Path rotating = rotating();
    if (keep == 0 || !Files.exists(rotating)) {
      return;
    }
    int gap = 1;
    while (gap <= keep && Files.exists(rotated(log, gap))) {
      gap++;
    }
    if (gap > keep) {
      Files.deleteIfExists(rotated(log, keep));
      gap = keep;
    }
    for (int number = gap - 1; number >= 1; number--) {
      Files.move(rotated(log, number), rotated(log, number + 1), StandardCopyOption.ATOMIC_MOVE);
      reached.accept("renamed");
    }
    Files.move(rotating, rotated(log, 1), StandardCopyOption.ATOMIC_MOVE);
    if (durable) {
      RotationRecord.syncDirectory(log);
    }
    reached.accept("renumbered");
  }

  /**
   * Frees the log in the only way that is left: copies the rest behind the earlier part and empties
   * the file. Bytes that are written between the last two steps are lost.
   */
  private RotationRecord truncated(RotationRecord from, FileSpace space, FileChannel in)
      throws IOException {
    used = Method.TRUNCATED;
    RotationRecord record = from;
    if (record.phase() == Phase.TRUNCATING && wasEmptied(record, in)) {
      RotationRecord next = RotationRecord.idle(record.inode(), record.cut());
      next.write(log, durable);
      return next;
    }
    record =
        new RotationRecord(
            Phase.TRUNCATING, record.inode(), record.base(), record.start(), record.cut());
    record.write(log, durable);
    long copied = record.cut() - record.base();
    if (keep > 0) {
      try (FileChannel out =
          FileChannel.open(rotated(log, 1), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
        out.truncate(copied); // more than is on record may have been copied before we were killed
        for (long size = in.size(); copied < size; size = in.size()) {
          transfer(in, space, copied, size, out, rotated(log, 1), 0);
          copied = size;
          force(out);
          record = record.cutAt(Phase.TRUNCATING, record.base() + copied);
          record.write(log, durable);
        }
      }
    }
    reached.accept("TRUNCATING");
    space.truncate(0);
    reached.accept("emptied");
    sync();
    RotationRecord next = RotationRecord.idle(record.inode(), record.cut());
    next.write(log, durable);
    return next;
  }

  /** Whether the log no longer begins with what was copied from its beginning. */
  private boolean wasEmptied(RotationRecord record, FileChannel in) throws IOException {
    if (in.size() < record.cut() - record.base()) {
      return true;
    }
    if (keep == 0) {
      return false;
    }
    try (FileChannel copy = FileChannel.open(rotated(log, 1), READ, LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer here = ByteBuffer.allocate(4096);
      ByteBuffer there = ByteBuffer.allocate(4096);
      in.read(here, 0);
      copy.read(there, 0);
      int length = Math.min(here.position(), there.position());
      return here.flip().limit(length).mismatch(there.flip().limit(length)) >= 0;
    }
  }

  private void sync() throws IOException {
    if (!durable) {
      return;
    }
    try (FileChannel file =
        FileChannel.open(log, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      file.force(true);
    }
  }

  private Path rotating() {
    return log.resolveSibling(log.getFileName() + ".rotating");
  }
}
