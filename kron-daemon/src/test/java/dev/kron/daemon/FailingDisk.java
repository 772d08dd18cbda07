package dev.kron.daemon;

import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.DiskOverlay;
import dev.kron.store.LinuxDisk;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** The real disk, until a test lets it fail. */
public final class FailingDisk implements DiskOverlay {
  /** How it fails. */
  public enum Trouble {
    NONE,
    FULL,
    SYNC_FAILS,
    DIRECTORY_SYNC_FAILS,
    READ_ONLY,
    /** Each operation by chance, now this way, now that. */
    AT_RANDOM
  }

  private final Disk disk = new LinuxDisk();
  private final SplittableRandom random;
  private volatile Trouble trouble = Trouble.NONE;

  public FailingDisk(long seed) {
    this.random = new SplittableRandom(seed);
  }

  public void begin(Trouble how) {
    trouble = how;
  }

  public void end() {
    trouble = Trouble.NONE;
  }

  private void mayFail(String operation, Path path, Trouble... ways) throws DiskException {
    Trouble now = trouble;
    for (Trouble way : ways) {
      if (way == now || (now == Trouble.AT_RANDOM && chance())) {
        Reason reason =
            switch (way) {
              case FULL -> Reason.NO_SPACE;
              case READ_ONLY -> Reason.READ_ONLY;
              default -> Reason.INPUT_OUTPUT;
            };
        throw new DiskException(operation, path, reason);
      }
    }
  }

  private synchronized boolean chance() {
    return random.nextInt(3) == 0;
  }

  @Override
  public Disk disk() {
    return disk;
  }

  @Override
  public Output create(Path file) throws DiskException {
    mayFail("create", file, Trouble.READ_ONLY);
    return new FailingOutput(file, disk.create(file));
  }

  @Override
  public Output append(Path file) throws DiskException {
    mayFail("open", file, Trouble.READ_ONLY);
    return new FailingOutput(file, disk.append(file));
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    mayFail("rename", from, Trouble.READ_ONLY);
    disk.rename(from, to);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    mayFail("create", directory, Trouble.READ_ONLY, Trouble.FULL);
    disk.createDirectory(directory);
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    mayFail("sync", directory, Trouble.DIRECTORY_SYNC_FAILS);
    disk.syncDirectory(directory);
  }

  private final class FailingOutput implements Output {
    private final Path file;
    private final Output output;

    FailingOutput(Path file, Output output) {
      this.file = file;
      this.output = output;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws DiskException {
      try {
        mayFail("write", file, Trouble.FULL);
      } catch (DiskException e) {
        output.write(bytes, offset, length / 2); // a full disk takes what fits
        throw e;
      }
      output.write(bytes, offset, length);
    }

    @Override
    public void sync() throws DiskException {
      mayFail("sync", file, Trouble.SYNC_FAILS);
      output.sync();
    }

    @Override
    public void close() {
      output.close();
    }
  }
}
