package dev.kron.daemon;

import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.FileStatus;
import dev.kron.store.LinuxDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A disk that takes so many more writes, and then none: what is there is what a death leaves. */
final class LastWritesDisk implements Disk {
  private final Disk disk = new LinuxDisk();
  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

  void dieAfter(int writes) {
    left.set(writes);
  }

  void live() {
    left.set(Integer.MAX_VALUE);
  }

  boolean isDead() {
    return left.get() <= 0;
  }

  private void write(String operation, Path path) throws DiskException {
    if (left.getAndUpdate(count -> Math.max(0, count - 1)) <= 0) {
      throw new DiskException(operation, path, Reason.NO_SPACE);
    }
  }

  @Override
  public int user() {
    return disk.user();
  }

  @Override
  public @Nullable FileStatus status(Path path) throws DiskException {
    return disk.status(path);
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    return disk.list(directory);
  }

  @Override
  public int read(Path file, long offset, byte[] buffer) throws DiskException {
    return disk.read(file, offset, buffer);
  }

  @Override
  public Output create(Path file) throws DiskException {
    return disk.create(file);
  }

  @Override
  public Output append(Path file) throws DiskException {
    write("append", file);
    return disk.append(file);
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    write("rename", to);
    disk.rename(from, to);
  }

  @Override
  public void delete(Path path) throws DiskException {
    disk.delete(path);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    disk.createDirectory(directory);
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    disk.syncDirectory(directory);
  }

  @Override
  public @Nullable Lock tryLock(Path directory) throws DiskException {
    return disk.tryLock(directory);
  }
}
