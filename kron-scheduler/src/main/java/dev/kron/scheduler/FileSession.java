package dev.kron.scheduler;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file store in one scheduler's hands.
 *
 * <p>The order of writes is what makes it safe. A snapshot names its generation, and with it the
 * one journal that continues it. A new generation is made durable in this order: the empty journal,
 * the snapshot under a temporary name, their directory entries, the move. So whatever snapshot a
 * crash leaves in place, its journal is there; and a batch is durable, as a whole, exactly when its
 * commit line is.
 */
final class FileSession implements TaskStore.Session {
  private static final SafeLog LOG = SafeLog.of(FileTaskStore.class);
  private static final int CHUNK_BYTES = 1 << 16;
  private static final int KEPT_BUFFER_BYTES = 1 << 20;
  private static final long JOURNAL_MIN_BYTES = 1 << 20;

  private final FileStoreDisk disk;
  private final Path directory;
  private final String name;
  private final Lock lock;

  /** The present generation, or that of the last attempt to replace it. */
  private long lastGeneration;

  private FileStoreDisk.@Nullable Appender journal;
  private long journalBytes;
  private long snapshotBytes;
  private long batches;
  private JsonBuffer buffer = new JsonBuffer(CHUNK_BYTES);

  /** Keeps others out. */
  interface Lock extends Closeable {
    /** Whether others still meet it: the lock file was neither removed nor replaced. */
    default boolean inPlace() {
      return true;
    }

    /**
     * Takes the lock where its file should be.
     *
     * @param condition looked at under the new lock, which is not kept if it does not hold
     * @throws TaskStoreException if somebody else has it by now
     */
    default void takeAgain(Condition condition) throws IOException {}
  }

  /** A condition that must hold, or else an exception says why it does not. */
  interface Condition {
    void require() throws IOException;
  }

  FileSession(FileStoreDisk disk, Path directory, String name, Lock lock) {
    this.disk = disk;
    this.directory = directory;
    this.name = name;
    this.lock = lock;
  }

  @Override
  public List<TaskState> load() throws IOException {
    Path snapshot = directory.resolve(name);
    if (!disk.exists(snapshot)) {
      refuseJournalsWithoutSnapshot();
      return List.of();
    }
    Map<String, TaskState> tasks = new LinkedHashMap<>();
    long generation = SnapshotFormat.read(disk.read(snapshot), snapshot.toString(), tasks);
    lastGeneration = generation;
    Path journalFile = journalFile(generation);
    if (!disk.exists(journalFile)) {
      throw new TaskInvalidStructureException(
          "The journal "
              + journalFile
              + " that continues this file is missing; put it back, or remove both to start afresh",
          generation,
          snapshot.toString());
    }
    JournalFormat.read(disk.read(journalFile), generation, journalFile.toString(), tasks);
    return List.copyOf(tasks.values());
  }

  @Override
  public void replaceAll(Collection<TaskState> tasks) throws IOException {
    keepLock();
    long generation = nextGeneration();
    Path snapshot = directory.resolve(name);
    Path previous = directory.resolve(name + ".previous");
    Path temporary = directory.resolve(name + ".tmp");
    FileStoreDisk.Appender newJournal = disk.create(journalFile(generation));
    boolean existed = disk.exists(snapshot);
    boolean moved = false;
    boolean done = false;
    try {
      buffer.clear();
      JournalFormat.header(generation, buffer);
      long newJournalBytes = buffer.size();
      newJournal.write(buffer.view());
      newJournal.sync();
      long newSnapshotBytes = writeSnapshot(temporary, generation, tasks);
      disk.syncDirectory(directory);
      if (existed) {
        disk.link(snapshot, previous);
      }
      disk.move(temporary, snapshot);
      moved = true;
      disk.syncDirectory(directory);
      done = true;
      closeJournal();
      journal = newJournal;
      journalBytes = newJournalBytes;
      snapshotBytes = newSnapshotBytes;
      batches = 0;
    } finally {
      if (!done) {
        close(newJournal);
        if (!moved) {
          discard(journalFile(generation));
        } else {
          restore(existed, previous, snapshot);
        }
      }
    }
    removeLeftovers(generation);
  }

  /** Never used twice: what a failed attempt or a stranger left under that number may be there. */
  private long nextGeneration() throws IOException {
    do {
      lastGeneration++;
    } while (disk.exists(journalFile(lastGeneration)));
    return lastGeneration;
  }

  private long writeSnapshot(Path file, long generation, Collection<TaskState> tasks)
      throws IOException {
    long written = 0;
    try (FileStoreDisk.Appender snapshot = disk.create(file)) {
      buffer.clear();
      CRC32C checksum = new CRC32C();
      SnapshotFormat.begin(generation, buffer);
      boolean first = true;
      for (TaskState task : tasks) {
        SnapshotFormat.task(task, first, buffer);
        first = false;
        if (buffer.size() >= CHUNK_BYTES) {
          written += buffer.size();
          checksum.update(buffer.view());
          snapshot.write(buffer.view());
          buffer.clear();
        }
      }
      checksum.update(buffer.view());
      SnapshotFormat.end(checksum.getValue(), buffer);
      written += buffer.size();
      snapshot.write(buffer.view());
      snapshot.sync();
    }
    return written;
  }

  /** All or nothing: puts back what was there before, as far as the disk still lets us. */
  private void restore(boolean existed, Path previous, Path snapshot) {
    try {
      if (!existed) {
        disk.delete(snapshot);
      } else if (disk.exists(previous)) {
        disk.move(previous, snapshot);
      }
      disk.syncDirectory(directory);
    } catch (Throwable again) {
      LOG.error("{} could not be put back after a failed write", snapshot, again);
    }
  }

  private void discard(Path file) {
    try {
      disk.delete(file);
    } catch (Throwable again) {
      LOG.warn("{} could not be removed after a failed write", file, again);
    }
  }

  /**
   * Files are removed that earlier generations and interrupted attempts left. Nothing refers to it
   * any more.
   */
  private void removeLeftovers(long generation) {
    try {
      for (String other : disk.list(directory)) {
        long theirs = generationOf(other);
        if ((theirs > 0 && theirs != generation)
            || other.equals(name + ".tmp")
            || other.equals(name + ".previous")) {
          disk.delete(directory.resolve(other));
        }
      }
    } catch (Throwable notNow) {
      LOG.warn("Old files beside {} could not be removed", directory.resolve(name), notNow);
    }
  }

  @Override
  public void update(Collection<TaskState> changed) throws IOException {
    if (journal == null) {
      throw new IOException("an earlier write to the journal failed; everything must be rewritten");
    }
    if (buffer.size() > KEPT_BUFFER_BYTES) {
      buffer = new JsonBuffer(CHUNK_BYTES);
    }
    buffer.clear();
    JournalFormat.batch(changed, ++batches, buffer);
    try {
      keepLock();
      journal.write(buffer.view());
      journal.sync();
      requireInPlace(journal);
      journalBytes += buffer.size();
    } catch (Throwable failed) {
      // What the failed write left in this file is unknown: never append to it again.
      closeJournal();
      throw failed;
    }
  }

  @Override
  public void check() throws IOException {
    FileStoreDisk.Appender open = journal;
    if (open != null) {
      keepLock();
      requireInPlace(open);
    }
  }

  /** Bytes in a file that nobody can find any more are not remembered. */
  private void requireInPlace(FileStoreDisk.Appender open) throws IOException {
    if (!open.inPlace() || !disk.exists(directory.resolve(name))) {
      throw new NoSuchFileException(
          directory.resolve(name).toString(),
          null,
          "it or its journal was removed or replaced while the scheduler is running; put the"
              + " directory back as it was, or make an empty one: everything is written anew then");
    }
  }

  /**
   * Takes the lock again where its file is gone, because the next scheduler would be let in. What
   * is there must be ours, or nothing: whoever came in between may have run tasks.
   */
  private void keepLock() throws IOException {
    if (!lock.inPlace()) {
      lock.takeAgain(this::requireOursOrNothing);
      LOG.warn("The lock of {} was gone, and is taken again", directory.resolve(name));
    }
  }

  private void requireOursOrNothing() throws IOException {
    FileStoreDisk.Appender open = journal;
    if (open != null && open.inPlace()) {
      return;
    }
    for (String other : disk.list(directory)) {
      if (other.equals(name) || generationOf(other) > 0) {
        throw new TaskStoreException(
            directory.resolve(name)
                + " was replaced while the scheduler is running, and holds what it did not write;"
                + " stop the program and start it again, or put the directory back as it was",
            null);
      }
    }
  }

  @Override
  public void maintain(Supplier<Collection<TaskState>> all) throws IOException {
    if (journalBytes > Math.max(JOURNAL_MIN_BYTES, 2 * snapshotBytes)) {
      replaceAll(all.get());
    }
  }

  @Override
  public void close() throws IOException {
    try {
      closeJournal();
    } finally {
      lock.close();
    }
  }

  private void closeJournal() {
    FileStoreDisk.Appender old = journal;
    journal = null;
    if (old != null) {
      close(old);
    }
  }

  private static void close(FileStoreDisk.Appender unused) {
    try {
      unused.close();
    } catch (Throwable harmless) {
      LOG.debug("Closing a journal that is no longer used failed", harmless);
    }
  }

  private void refuseJournalsWithoutSnapshot() throws IOException {
    for (String other : disk.list(directory)) {
      if (generationOf(other) > 0
          && JournalFormat.holdsBatches(disk.read(directory.resolve(other)))) {
        throw new TaskInvalidStructureException(
            "The state file "
                + directory.resolve(name)
                + " is missing although its journal is there; put it back, or remove the journal to"
                + " start afresh",
            null,
            directory.resolve(other).toString());
      }
    }
  }

  private Path journalFile(long generation) {
    return directory.resolve(name + ".journal-" + generation);
  }

  /** The generation in a journal's name, 0 for any other file. */
  private long generationOf(String fileName) {
    String prefix = name + ".journal-";
    if (!fileName.startsWith(prefix)) {
      return 0;
    }
    try {
      return Math.max(0, Long.parseLong(fileName.substring(prefix.length())));
    } catch (NumberFormatException notOurs) {
      return 0;
    }
  }
}
