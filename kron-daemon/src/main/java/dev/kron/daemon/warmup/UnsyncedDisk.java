package dev.kron.daemon.warmup;

import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.DiskOverlay;
import java.nio.file.Path;

/** A disk for what nobody will need tomorrow: everything as usual, and nothing made durable. */
record UnsyncedDisk(Disk disk) implements DiskOverlay {
  @Override
  public Output create(Path file) throws DiskException {
    return new Unsynced(disk.create(file));
  }

  @Override
  public Output append(Path file) throws DiskException {
    return new Unsynced(disk.append(file));
  }

  @Override
  public void syncDirectory(Path directory) {}

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
