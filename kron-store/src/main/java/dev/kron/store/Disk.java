package dev.kron.store;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations on files that the store needs, and no more: the real ones are {@link LinuxDisk},
 * the simulator and fault-injecting tests have their own.
 *
 * <p>What an implementation promises: nothing is durable because it was written or renamed. File
 * content is durable after {@link Output#sync}, names (creations, renames, deletions) after {@link
 * #syncDirectory} of the directory that holds them. No operation follows a symbolic link in the
 * last component of a path. Everything created is 0600, directories 0700. Paths are absolute. All
 * methods may be called from several threads.
 */
public interface Disk {
  /** The user to whom files made here belong. */
  int user();

  /** What stands at a path, itself and not what it links to; null: nothing. */
  @Nullable FileStatus status(Path path) throws DiskException;

  /**
   * Why somebody else could put another directory in the place of this one or of one above it, and
   * what to do about it; null where nobody can.
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

  /** Opens a file to add to its end, creating it where it does not exist. */
  Output append(Path file) throws DiskException;

  /** Gives a file its new name, atomically in place of what had that name. */
  void rename(Path from, Path to) throws DiskException;

  /** Removes a file or an empty directory. */
  void delete(Path path) throws DiskException;

  /** Creates a directory that must not exist yet. */
  void createDirectory(Path directory) throws DiskException;

  /** Makes the names in a directory durable. */
  void syncDirectory(Path directory) throws DiskException;

  /**
   * Takes the exclusive lock on a directory: on the directory itself, because a lock file can be
   * removed under its holder. It is released by {@link Lock#close} or by the death of this process,
   * whichever comes first, and is not inherited by processes that this one starts.
   *
   * @return null where somebody else holds it
   */
  @Nullable Lock tryLock(Path directory) throws DiskException;

  /** A file that is being written. */
  interface Output extends AutoCloseable {
    /** Writes all of it, or throws; after that an unknown part of it may be in the file. */
    void write(byte[] bytes, int offset, int length) throws DiskException;

    /**
     * Makes the content durable, with the size but not necessarily other metadata. Once this has
     * failed for a file, it must not be believed again for the same file: write a new one.
     */
    void sync() throws DiskException;

    /** Releases the descriptor. Says nothing about durability and never throws. */
    @Override
    void close();
  }

  /** A lock that is held. */
  interface Lock extends AutoCloseable {
    /**
     * Whether the directory that is locked is still the one at its path: it may have been removed,
     * renamed, or replaced by another one, which somebody else may have locked.
     */
    default boolean isInPlace() throws DiskException {
      return true;
    }

    @Override
    void close();
  }
}
