package dev.kron.store;

import dev.kron.store.DiskException.Reason;
import dev.kron.store.FileStatus.Kind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The small files of ended runs, which become part of their records ({@link JoinedRecord}). */
final class JoinedFiles {
  /** The keeper's claim and the end of the run. */
  private static final String RECORD = "record";

  private static final List<String> NAMES = List.of("note", "stdout", "stderr");

  private static final int SMALL_BYTES = 16 << 10;
  private static final int LONGEST_RECORD = 64 << 10;

  private final Disk disk;
  private final AtomicFiles files;

  JoinedFiles(Disk disk) {
    this.disk = disk;
    this.files = new AtomicFiles(disk);
  }

  /**
   * Whether a file may become part of the record: it is small, and no file beside it tells of it,
   * which would be left alone.
   *
   * @param names all that are in its directory
   */
  static boolean mayJoin(String name, FileStatus status, List<String> names) {
    return NAMES.contains(name)
        && status.kind() == Kind.FILE
        && status.size() <= SMALL_BYTES
        && names.contains(RECORD)
        && names.stream().noneMatch(other -> isAbout(other, name));
  }

  private static boolean isAbout(String other, String name) {
    return other.startsWith(name + ".") && !other.endsWith(RunDirectories.MARK);
  }

  /** See {@link RunDirectories#join}. */
  void join(Path directory, long endedAtMillis) throws DiskException {
    List<String> names = disk.list(directory);
    Map<String, byte[]> small = new LinkedHashMap<>();
    for (String name : NAMES) {
      Path file = directory.resolve(name);
      FileStatus status = names.contains(name) ? disk.status(file) : null;
      if (status != null && mayJoin(name, status, names) && disk.isUnused(file)) {
        small.put(name, files.read(file, SMALL_BYTES));
      }
    }
    if (!small.isEmpty() && write(directory.resolve(RECORD), small, endedAtMillis)) {
      // Only now, since the record is durable: until it was, these were all there is.
      for (Map.Entry<String, byte[]> file : small.entrySet()) {
        Path path = directory.resolve(file.getKey());
        if (disk.isUnused(path) && Arrays.equals(files.read(path, SMALL_BYTES), file.getValue())) {
          disk.delete(path);
        }
      }
    }
  }

  /** Writes the record with the files in it; returns whether it has them, durably. */
  private boolean write(Path record, Map<String, byte[]> small, long endedAtMillis)
      throws DiskException {
    byte[] own = files.read(record, LONGEST_RECORD);
    JoinedRecord before = JoinedRecord.read(own);
    boolean complete = own.length > 0 && own[own.length - 1] == '\n';
    if (before == null && !(complete && disk.isUnused(record))) {
      return false;
    }
    JoinedRecord now = before == null ? JoinedRecord.of(own, endedAtMillis) : before;
    byte[] bytes = now.with(small).bytes();
    if (bytes.length > LONGEST_RECORD) {
      return false;
    }
    // Also where it has them already: the directory may not have been synced since.
    files.replace(record, bytes);
    return true;
  }

  /** The record of a run with what was joined to it; null if nothing was. */
  @Nullable JoinedRecord of(Path directory) throws DiskException {
    try {
      return JoinedRecord.read(files.read(directory.resolve(RECORD), LONGEST_RECORD));
    } catch (DiskException e) {
      if (e.reason() == Reason.NOT_FOUND || e.reason() == Reason.TOO_LARGE) {
        return null;
      }
      throw e;
    }
  }
}
