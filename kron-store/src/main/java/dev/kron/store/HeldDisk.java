package dev.kron.store;

import java.nio.file.Path;

/**
 * A disk that refuses changes once the directory at the state directory's path is no longer the one
 * that this daemon has locked: it may belong to another daemon now.
 */
record HeldDisk(Disk disk, Path held, Lock lock) implements DiskOverlay {
  /** Throws if the directory was removed, renamed or replaced. */
  void check() throws DiskException {
    if (!lock.isInPlace()) {
      throw new DiskException(
          "use",
          held,
          DiskException.Reason.OTHER,
          "it was removed, renamed or replaced while this daemon holds it; nothing is started"
              + " until it is back in its place");
    }
  }

  @Override
  public Output create(Path file) throws DiskException {
    check();
    return disk.create(file);
  }

  @Override
  public Output append(Path file) throws DiskException {
    check();
    return disk.append(file);
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    check();
    disk.rename(from, to);
  }

  @Override
  public void delete(Path path) throws DiskException {
    check();
    disk.delete(path);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    check();
    disk.createDirectory(directory);
  }

  /**
   * The last step of a commit: if the directory was replaced meanwhile, the commit does not count.
   */
  @Override
  public void syncDirectory(Path directory) throws DiskException {
    disk.syncDirectory(directory);
    check();
  }
}
