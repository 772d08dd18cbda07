package dev.kron.store;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A disk that fails where a test wants it to. */
class FaultyDisk implements Disk {
  /** Decides whether an operation fails, and why; null: it does not. */
  @FunctionalInterface
  interface Fault {
    DiskException.@Nullable Reason reason(String operation, Path path);

    Fault NONE = (operation, path) -> null;

    static Fault of(String operation, DiskException.Reason reason) {
      return (actual, path) -> actual.equals(operation) ? reason : null;
    }

    static Fault of(String operation, String name, DiskException.Reason reason) {
      return (actual, path) ->
          actual.equals(operation) && path.getFileName().toString().startsWith(name)
              ? reason
              : null;
    }
  }

  private final Disk disk;
  private volatile Fault fault = Fault.NONE;
  final AtomicInteger syncs = new AtomicInteger();
  final AtomicInteger directorySyncs = new AtomicInteger();

  FaultyDisk(Disk disk) {
    this.disk = disk;
  }

  void failing(Fault next) {
    fault = next;
  }

  void healthy() {
    fault = Fault.NONE;
  }

  private void check(String operation, Path path) throws DiskException {
    DiskException.Reason reason = fault.reason(operation, path);
    if (reason != null) {
      throw new DiskException(operation, path, reason);
    }
  }

  @Override
  public int user() {
    return disk.user();
  }

  @Override
  public @Nullable FileStatus status(Path path) throws DiskException {
    check("status", path);
    return disk.status(path);
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    check("list", directory);
    return disk.list(directory);
  }

  @Override
  public int read(Path file, long offset, byte[] buffer) throws DiskException {
    check("read", file);
    return disk.read(file, offset, buffer);
  }

  @Override
  public Output create(Path file) throws DiskException {
    check("create", file);
    return new FaultyOutput(file, disk.create(file));
  }

  @Override
  public Output append(Path file) throws DiskException {
    check("append", file);
    return new FaultyOutput(file, disk.append(file));
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    check("rename", to);
    disk.rename(from, to);
  }

  @Override
  public void delete(Path path) throws DiskException {
    check("delete", path);
    disk.delete(path);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    check("createDirectory", directory);
    disk.createDirectory(directory);
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    directorySyncs.incrementAndGet();
    check("syncDirectory", directory);
    disk.syncDirectory(directory);
  }

  @Override
  public @Nullable Lock tryLock(Path directory) throws DiskException {
    check("lock", directory);
    return disk.tryLock(directory);
  }

  /** A write that fails leaves half of it behind, as a full disk does. */
  private final class FaultyOutput implements Output {
    private final Path file;
    private final Output output;

    FaultyOutput(Path file, Output output) {
      this.file = file;
      this.output = output;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws DiskException {
      try {
        check("write", file);
      } catch (DiskException e) {
        output.write(bytes, offset, length / 2);
        throw e;
      }
      output.write(bytes, offset, length);
    }

    @Override
    public void sync() throws DiskException {
      syncs.incrementAndGet();
      check("sync", file);
      output.sync();
    }

    @Override
    public void close() {
      output.close();
    }
  }
}
