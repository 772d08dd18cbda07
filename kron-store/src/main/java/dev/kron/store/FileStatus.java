package dev.kron.store;

/**
 * The status of a file.
 *
 * @param user the owner's id
 * @param mode the permission bits
 * @param size in bytes
 * @param room the space that it takes on disk, in bytes; less than its size if it has holes
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
