package dev.kron.daemon;

import dev.kron.daemon.Fault.Point;
import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.DiskOverlay;
import java.nio.file.Path;

/** A disk whose daemon dies before or after one of its operations. */
record DyingDisk(Disk disk, Fault fault) implements DiskOverlay {
  @Override
  public Output create(Path file) throws DiskException {
    fault.reach(Point.BEFORE_TEMPORARY);
    return new DyingOutput(disk.create(file), fault, Point.BEFORE_SYNC, Point.AFTER_SYNC);
  }

  @Override
  public Output append(Path file) throws DiskException {
    return new DyingOutput(disk.append(file), fault, Point.BEFORE_ARRIVALS, Point.AFTER_ARRIVALS);
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    fault.reach(Point.BEFORE_RENAME);
    disk.rename(from, to);
    fault.reach(Point.AFTER_RENAME);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    fault.reach(Point.BEFORE_RUN_DIRECTORY);
    disk.createDirectory(directory);
    fault.reach(Point.AFTER_RUN_DIRECTORY);
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    fault.reach(Point.BEFORE_DIRECTORY_SYNC);
    disk.syncDirectory(directory);
    fault.reach(Point.AFTER_DIRECTORY_SYNC);
  }

  private record DyingOutput(Output output, Fault fault, Point before, Point after)
      implements Output {
    @Override
    public void write(byte[] bytes, int offset, int length) throws DiskException {
      output.write(bytes, offset, length);
    }

    @Override
    public void sync() throws DiskException {
      fault.reach(before);
      output.sync();
      fault.reach(after);
    }

    @Override
    public void close() {
      output.close();
    }
  }
}
