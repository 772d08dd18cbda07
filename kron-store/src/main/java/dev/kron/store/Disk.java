package dev.kron.store;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file operations that the store needs. {@link LinuxDisk} has the real ones; the simulator and
 * tests with failing disks have their own.
 *
 * <p>The contract: writing and renaming alone make nothing durable. File content is durable after
 * {@link Output#sync}; names (creations, renames, deletions) are durable after {@link
 * #syncDirectory} of their directory. No operation follows a symbolic link in the last component of
 * a path. New files have mode 0600, new directories 0700. Paths are absolute. All methods may be
 * called from several threads.
 */
public interface Disk {
  /** The user who owns files that are created here. */
  int user();

  /** The status of a path itself, not of a link's target; null if nothing is there. */
  @Nullable FileStatus status(Path path) throws DiskException;

  /**
   * The reason why another user could replace this directory or one above it, and the remedy; null
   * if nobody can.
   */
  default @Nullable String exposure(Path directory) throws DiskException {
    return null;
  }

  /** The names in a directory, in no particular order. */
  List<String> list(Path directory) throws DiskException;

  /**
   * Reads a file from an offset until the buffer is full or the file ends.
   *
   * @return the number of bytes read, fewer than the buffer holds only at the end of the file
   */
  int read(Path file, long offset, byte[] buffer) throws DiskException;

  /** Creates a file that must not exist yet. */
  Output create(Path file) throws DiskException;

  /** Opens a file for appending; creates it if it does not exist. */
  Output append(Path file) throws DiskException;

  /** Renames a file, atomically replacing any file of the new name. */
  void rename(Path from, Path to) throws DiskException;

  /** Removes a file or an empty directory. */
  void delete(Path path) throws DiskException;

  /**
   * Removes a file that is empty and that no process has open for writing, so that nothing which
   * somebody writes later is lost.
   *
   * @return whether it was removed; not where nobody can tell who has it open
   */
  default boolean deleteUnused(Path file) throws DiskException {
    return false;
  }

  /** Whether no process has this file open; false where nobody can tell. */
  default boolean isUnused(Path file) throws DiskException {
    return false;
  }

  /** Creates a directory that must not exist yet. */
  void createDirectory(Path directory) throws DiskException;

  /** Makes the names in a directory durable. */
  void syncDirectory(Path directory) throws DiskException;

  /**
   * Takes the exclusive lock on a directory. The lock is on the directory itself, because a lock
   * file can be removed while it is held. It is released by {@link Lock#close} or by the end of
   * this process, whichever comes first, and child processes do not inherit it.
   *
   * @return null if another process holds it
   */
  @Nullable Lock tryLock(Path directory) throws DiskException;

  /** A file that is being written. */
  interface Output extends AutoCloseable {
    /**
     * Writes all bytes or throws; after an exception an unknown part of them may be in the file.
     */
    void write(byte[] bytes, int offset, int length) throws DiskException;

    /**
     * Makes the content durable, with the size but not necessarily other metadata. After a failure
     * a later success for the same file proves nothing: write a new file.
     */
    void sync() throws DiskException;

    /** Releases the descriptor. Says nothing about durability, and never throws. */
    @Override
    void close();
  }

  /** A lock that is held. */
  interface Lock extends AutoCloseable {
    /**
     * Whether the locked directory is still the one at its path. It may have been removed, renamed
     * or replaced by another one that somebody else has locked.
     */
    default boolean isInPlace() throws DiskException {
      return true;
    }

    @Override
    void close();
  }
}
