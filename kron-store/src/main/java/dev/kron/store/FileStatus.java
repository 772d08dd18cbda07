package dev.kron.store;

/**
 * The kind of file at a path.
 *
 * @param user the owner's id
 * @param mode the permission bits
 * @param size in bytes
 * @param room what it takes of the disk, in bytes: less than its size where it has holes
 */
public record FileStatus(Kind kind, int user, int mode, long size, long room) {
  /** The kind of a directory entry. */
  public enum Kind {
    FILE,
    DIRECTORY,
    SYMBOLIC_LINK,
    OTHER
  }
}
