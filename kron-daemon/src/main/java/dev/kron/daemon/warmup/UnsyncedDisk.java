package dev.kron.daemon.warmup;

import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.FileStatus;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A disk for what nobody will need tomorrow: everything as usual, and nothing made durable. */
record UnsyncedDisk(Disk disk) implements Disk {
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
    return new Unsynced(disk.create(file));
  }

  @Override
  public Output append(Path file) throws DiskException {
    return new Unsynced(disk.append(file));
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
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
  public void syncDirectory(Path directory) {}

  @Override
  public @Nullable Lock tryLock(Path directory) throws DiskException {
    return disk.tryLock(directory);
  }

  private record Unsynced(Output output) implements Output {
    @Override
    public void write(byte[] bytes, int offset, int length) throws DiskException {
      output.write(bytes, offset, length);
    }

    @Override
    public void sync() {}

    @Override
    public void close() {
      output.close();
    }
  }
}
