package dev.kron.store;

import dev.kron.store.DiskException.Reason;
import dev.kron.store.FileStatus.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The directories of runs, {@code runs/<run id>}, in which keepers leave their claim, output and
 * end.
 *
 * <p>The directory is created before the run's intent is committed, and is not synced: it proves
 * something only within one boot, and within a boot nothing that was written is lost. An intent of
 * this boot without a directory is therefore damage, and the run may have begun. After a loss of
 * power an intent is never started again, whether its directory is there or not.
 */
public final class RunDirectories {
  /** The suffix of directories that are being removed. */
  private static final String LEAVING = ".leaving";

  static final String NAME = "runs";

  /** The files that say nothing while they are empty. */
  private static final Set<String> SILENT_IF_EMPTY = Set.of("stderr", "remark");

  /** The suffix of marks how far a run's output was handed on, which its end makes obsolete. */
  static final String MARK = ".forwarded";

  /**
   * A run's directory.
   *
   * @param sizeBytes the disk space of the directory and its files
   * @param hasIdleFiles whether it has files that say nothing once the run's end is on record
   * @param hasSmallFiles whether it has files that can become part of its record by then
   */
  public record Run(String runId, long sizeBytes, boolean hasIdleFiles, boolean hasSmallFiles) {}

  private final Disk disk;
  private final JoinedFiles joined;
  private final Path runs;

  RunDirectories(Disk disk, Path directory) {
    this.disk = disk;
    this.joined = new JoinedFiles(disk);
    this.runs = directory.resolve(NAME);
  }

  /** Creates the parent directory; called once, at a start. */
  void prepare() throws DiskException {
    FileStatus status = disk.status(runs);
    if (status == null) {
      disk.createDirectory(runs);
      disk.syncDirectory(AtomicFiles.directory(runs));
    } else if (status.kind() != Kind.DIRECTORY) {
      throw new DiskException("use", runs, Reason.NOT_A_FILE, "is not a directory");
    } else {
      for (String name : disk.list(runs)) {
        if (name.endsWith(LEAVING)) {
          clear(runs.resolve(name));
        }
      }
    }
  }

  /** The directory of them all. */
  public Path path() {
    return runs;
  }

  public Path of(String runId) {
    return runs.resolve(requireRunId(runId));
  }

  /** Creates a run's directory if it does not exist. */
  public Path create(String runId) throws DiskException {
    make(runId);
    return of(runId);
  }

  /**
   * Creates a run's directory if it does not exist.
   *
   * @return whether it was created
   */
  boolean make(String runId) throws DiskException {
    Path directory = of(runId);
    try {
      disk.createDirectory(directory);
      return true;
    } catch (DiskException e) {
      switch (e.reason()) {
        case EXISTS -> {
          return false;
        }
        case NOT_FOUND -> disk.createDirectory(runs); // somebody removed all of them
        default -> throw e;
      }
    }
    disk.createDirectory(directory);
    return true;
  }

  /** Removes an empty directory if possible. */
  void removeEmpty(String runId) {
    try {
      disk.delete(of(runId));
    } catch (DiskException e) {
      // A later sweep removes it.
    }
  }

  /** Whether the run has a directory. */
  public boolean exists(String runId) throws DiskException {
    return disk.status(of(runId)) != null;
  }

  /** The ids of all runs with directories, oldest first. */
  public List<String> list() throws DiskException {
    return disk.list(runs).stream().filter(RunIds::isRunId).sorted().toList();
  }

  /** All runs with their sizes, oldest first. It walks through every directory. */
  public List<Run> sizes() throws DiskException {
    List<Run> all = new ArrayList<>();
    for (String runId : list()) {
      all.add(look(runId));
    }
    return all;
  }

  /** The disk space of a run's directory and its files; 0 if there is none. */
  public long size(String runId) throws DiskException {
    return look(runId).sizeBytes();
  }

  private Run look(String runId) throws DiskException {
    Path directory = of(runId);
    long sum = 0;
    boolean idle = false;
    boolean small = false;
    try {
      FileStatus own = disk.status(directory);
      sum = own == null ? 0 : own.room();
      List<String> names = disk.list(directory);
      for (String name : names) {
        FileStatus status = disk.status(directory.resolve(name));
        if (status != null) {
          // The space on disk, not the size: a small file takes a block, and a command can make
          // its output file arbitrarily long without writing to it.
          sum += status.room();
          idle |= isIdle(name, status);
          small |= JoinedFiles.mayJoin(name, status, names);
        }
      }
    } catch (DiskException e) {
      if (e.reason() != Reason.NOT_FOUND) {
        throw e;
      }
    }
    return new Run(runId, sum, idle, small);
  }

  private static boolean isIdle(String name, FileStatus status) {
    return status.kind() == Kind.FILE
        && (name.endsWith(MARK)
            || AtomicFiles.isTemporary(name)
            || (status.size() == 0 && SILENT_IF_EMPTY.contains(name)));
  }

  /**
   * Makes small files of a run part of its record. Only for runs whose end is on record. Wherever
   * that is interrupted, what is read afterwards is the same, and the next time goes on.
   *
   * @param endedAtMillis when it ended, which the time of its record tells no more then
   */
  public void join(String runId, long endedAtMillis) throws DiskException {
    joined.join(of(runId), endedAtMillis);
  }

  /**
   * Removes the files of a run that say nothing any more. Only for runs whose end is on record. A
   * crash in between leaves some of them to the next time.
   */
  public void removeIdleFiles(String runId) throws DiskException {
    Path directory = of(runId);
    for (String name : disk.list(directory)) {
      Path file = directory.resolve(name);
      FileStatus status = disk.status(file);
      if (status == null || !isIdle(name, status)) {
        continue;
      }
      if (SILENT_IF_EMPTY.contains(name)) {
        disk.deleteUnused(file); // processes that the run left behind may write to it yet
      } else {
        disk.delete(file);
      }
    }
  }

  /** When a run ended whose files were joined; null if they were not. */
  public @Nullable Long endedAtMillis(String runId) throws DiskException {
    JoinedRecord record = joined.of(of(runId));
    return record == null ? null : record.endedAtMillis();
  }

  /**
   * Notes beside the directories that something is owed for a run: {@code <word>-<run id>}. Not
   * synced, for the same reason as the directories.
   */
  public void owe(String word, String runId, byte[] content) throws DiskException {
    Path path = owed(word, runId);
    if (disk.status(path) != null) {
      disk.delete(path);
    }
    if (disk.status(runs) == null) {
      disk.createDirectory(runs); // somebody removed all of them
    }
    try (Disk.Output output = disk.create(path)) {
      output.write(content, 0, content.length);
    }
  }

  /** The runs for which something is owed. */
  public List<String> owed(String word) throws DiskException {
    if (disk.status(runs) == null) {
      return List.of();
    }
    return disk.list(runs).stream()
        .filter(name -> name.startsWith(word + "-"))
        .map(name -> name.substring(word.length() + 1))
        .filter(RunIds::isRunId)
        .sorted()
        .toList();
  }

  /** The content of a note, limited to so many bytes. */
  public byte[] owed(String word, String runId, int limitBytes) throws DiskException {
    byte[] buffer = new byte[limitBytes];
    return Arrays.copyOf(buffer, disk.read(owed(word, runId), 0, buffer));
  }

  /** Removes a note: nothing is owed any more. */
  public void settle(String word, String runId) throws DiskException {
    try {
      disk.delete(owed(word, runId));
    } catch (DiskException e) {
      if (e.reason() != Reason.NOT_FOUND) {
        throw e;
      }
    }
  }

  private Path owed(String word, String runId) {
    return runs.resolve(word + "-" + requireRunId(runId));
  }

  /**
   * The runs to remove so that the rest fits: the oldest ones that may go.
   *
   * @param runs oldest first
   */
  public static List<String> surplus(List<Run> runs, long limitBytes, Predicate<String> mayGo) {
    long total = 0;
    for (Run run : runs) {
      total += run.sizeBytes();
    }
    List<String> surplus = new ArrayList<>();
    for (Run run : runs) {
      if (total <= limitBytes) {
        break;
      }
      if (mayGo.test(run.runId())) {
        surplus.add(run.runId());
        total -= run.sizeBytes();
      }
    }
    return surplus;
  }

  /**
   * Removes a run's directory and its contents, or what is left of it. Only for runs with a claim
   * whose keeper is gone, which the caller has to know.
   */
  public void remove(String runId) throws DiskException {
    // The directory is renamed first: if the claim were removed before the name, a late keeper
    // could claim the run again.
    Path leaving = runs.resolve(runId + LEAVING);
    try {
      disk.rename(of(runId), leaving);
    } catch (DiskException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return;
      }
      clear(leaving); // left by one that failed before
      disk.rename(of(runId), leaving);
    }
    clear(leaving);
  }

  private void clear(Path directory) throws DiskException {
    try {
      for (String name : disk.list(directory)) {
        disk.delete(directory.resolve(name));
      }
      disk.delete(directory);
    } catch (DiskException e) {
      if (e.reason() != Reason.NOT_FOUND) {
        throw e;
      }
    }
  }

  /** Writes a small file into a run's directory, replacing one of the same name; not durable. */
  public void write(String runId, String file, byte[] content) throws DiskException {
    Path path = of(runId).resolve(file);
    if (disk.status(path) != null) {
      disk.delete(path);
    }
    try (Disk.Output output = disk.create(path)) {
      output.write(content, 0, content.length);
    }
  }

  /** Writes a small file into a run's directory; file and directory are durable when it returns. */
  public void writeDurably(String runId, String file, byte[] content) throws DiskException {
    Path path = of(runId).resolve(file);
    if (disk.status(path) != null) {
      disk.delete(path);
    }
    try (Disk.Output output = disk.create(path)) {
      output.write(content, 0, content.length);
      output.sync();
    }
    disk.syncDirectory(of(runId));
    disk.syncDirectory(runs);
  }

  /** Whether a run's directory contains this file. */
  public boolean has(String runId, String file) {
    try {
      return disk.status(of(runId).resolve(file)) != null;
    } catch (DiskException e) {
      return false;
    }
  }

  /**
   * The end of a note or an output of a run, limited to so many bytes, also where it has become
   * part of the record; empty if there is none.
   */
  public byte[] kept(String runId, String file, int limitBytes) throws DiskException {
    byte[] tail = tail(runId, file, limitBytes);
    if (tail.length > 0 || disk.status(of(runId).resolve(file)) != null) {
      return tail;
    }
    JoinedRecord record = joined.of(of(runId));
    byte[] whole = record == null ? null : record.file(file);
    return whole == null
        ? tail
        : Arrays.copyOfRange(whole, Math.max(0, whole.length - limitBytes), whole.length);
  }

  /**
   * The end of a file in a run's directory, limited to so many bytes; empty if there is no file.
   */
  public byte[] tail(String runId, String file, int limitBytes) throws DiskException {
    Path path = of(runId).resolve(file);
    FileStatus status = disk.status(path);
    if (status == null) {
      return new byte[0];
    }
    if (status.kind() != Kind.FILE) {
      throw new DiskException("read", path, Reason.NOT_A_FILE);
    }
    long offset = Math.max(0, status.size() - limitBytes);
    byte[] buffer = new byte[(int) Math.min(limitBytes, status.size())];
    int length = disk.read(path, offset, buffer);
    return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
  }

  private static String requireRunId(String runId) {
    if (!RunIds.isRunId(runId)) {
      throw new IllegalArgumentException("not a run id: '" + runId + "'");
    }
    return runId;
  }
}
