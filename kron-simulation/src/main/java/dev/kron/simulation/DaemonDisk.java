package dev.kron.simulation;

import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.FileStatus;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The disk as one daemon has it, for as long as that lives. */
record DaemonDisk(SimulatedDisk disk, Lifeline life) implements Disk {
  @Override
  public int user() {
    return disk.user();
  }

  @Override
  public @Nullable FileStatus status(Path path) throws DiskException {
    life.reach();
    return disk.status(path);
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    life.reach();
    return disk.list(directory);
  }

  @Override
  public int read(Path file, long offset, byte[] buffer) throws DiskException {
    life.reach();
    return disk.read(file, offset, buffer);
  }

  @Override
  public Output create(Path file) throws DiskException {
    life.reach();
    return new DaemonOutput(disk.create(file), life);
  }

  @Override
  public Output append(Path file) throws DiskException {
    life.reach();
    return new DaemonOutput(disk.append(file), life);
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    life.reach();
    disk.rename(from, to);
  }

  @Override
  public void delete(Path path) throws DiskException {
    life.reach();
    disk.delete(path);
  }

  @Override
  public boolean deleteUnused(Path file) throws DiskException {
    life.reach();
    return disk.deleteUnused(file);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    life.reach();
    disk.createDirectory(directory);
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    life.reach();
    disk.syncDirectory(directory);
  }

  @Override
  public @Nullable Lock tryLock(Path directory) throws DiskException {
    life.reach();
    return disk.tryLock(directory);
  }

  private record DaemonOutput(Output output, Lifeline life) implements Output {
    @Override
    public void write(byte[] bytes, int offset, int length) throws DiskException {
      life.reach();
      output.write(bytes, offset, length);
    }

    @Override
    public void sync() throws DiskException {
      life.reach();
      output.sync();
    }

    @Override
    public void close() {
      output.close();
    }
  }
}
