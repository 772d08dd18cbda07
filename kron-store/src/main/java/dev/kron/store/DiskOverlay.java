package dev.kron.store;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A disk that passes operations on to another one, except those that it overrides. */
public interface DiskOverlay extends Disk {
  /** The disk to which operations are passed. */
  Disk disk();

  @Override
  default int user() {
    return disk().user();
  }

  @Override
  default @Nullable FileStatus status(Path path) throws DiskException {
    return disk().status(path);
  }

  @Override
  default @Nullable String exposure(Path directory) throws DiskException {
    return disk().exposure(directory);
  }

  @Override
  default List<String> list(Path directory) throws DiskException {
    return disk().list(directory);
  }

  @Override
  default int read(Path file, long offset, byte[] buffer) throws DiskException {
    return disk().read(file, offset, buffer);
  }

  @Override
  default Output create(Path file) throws DiskException {
    return disk().create(file);
  }

  @Override
  default Output append(Path file) throws DiskException {
    return disk().append(file);
  }

  @Override
  default void rename(Path from, Path to) throws DiskException {
    disk().rename(from, to);
  }

  @Override
  default void delete(Path path) throws DiskException {
    disk().delete(path);
  }

  @Override
  default boolean deleteUnused(Path file) throws DiskException {
    return disk().deleteUnused(file);
  }

  @Override
  default boolean isUnused(Path file) throws DiskException {
    return disk().isUnused(file);
  }

  @Override
  default void createDirectory(Path directory) throws DiskException {
    disk().createDirectory(directory);
  }

  @Override
  default void syncDirectory(Path directory) throws DiskException {
    disk().syncDirectory(directory);
  }

  @Override
  default @Nullable Lock tryLock(Path directory) throws DiskException {
    return disk().tryLock(directory);
  }
}
