package dev.kron.store;

import dev.kron.job.JobState;
import dev.kron.store.DiskException.Reason;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The state files of jobs as they are on disk. */
final class StateFiles {
  private final Disk disk;
  private final Path directory;
  private final StateSettings settings;
  private final AtomicFiles files;

  /**
   * What a file contains.
   *
   * @param kept the parts that the next write carries over
   */
  record Present(JobState state, Kept kept) {
    static Present of(byte[] content) throws MalformedStateException, UnsupportedVersionException {
      Kept kept = new Kept(content);
      return new Present(StateReader.read(content, content.length, kept), kept);
    }
  }

  StateFiles(Disk disk, Path directory, StateSettings settings, AtomicFiles files) {
    this.disk = disk;
    this.directory = directory;
    this.settings = settings;
    this.files = files;
  }

  Path of(String identity) {
    return directory.resolve(JobStates.fileName(identity));
  }

  /** The contents of the file to be replaced; null if nothing of it is to be kept. */
  @Nullable Present present(Path file) throws DiskException {
    byte[] content;
    try {
      content = read(file);
    } catch (DiskException e) {
      // The file was damaged while the daemon ran: the state in memory is the better one.
      return switch (e.reason()) {
        case NOT_FOUND, INPUT_OUTPUT, SYMBOLIC_LINK, NOT_A_FILE, TOO_LARGE -> null;
        default -> throw e;
      };
    }
    try {
      return Present.of(content);
    } catch (MalformedStateException | UnsupportedVersionException e) {
      keepAside(file, content);
      return null;
    }
  }

  /**
   * Keeps a copy of a damaged file. It is a copy because the file itself must stay until the new
   * one replaces it.
   */
  private void keepAside(Path file, byte[] content) throws DiskException {
    Path copy = new QuarantineNames(disk, settings.clock()).nameFor(file);
    try (Disk.Output output = disk.create(copy)) {
      output.write(content, 0, content.length);
      output.sync();
    }
  }

  /** Reads a whole file, most of them at once. */
  byte[] read(Path file) throws DiskException {
    byte[] buffer = new byte[4096];
    int length = disk.read(file, 0, buffer);
    return length < buffer.length
        ? Arrays.copyOf(buffer, length)
        : files.read(file, JobStates.LIMIT_BYTES);
  }

  /** The content of a file; null if there is none. */
  byte @Nullable [] content(Path file) throws DiskException {
    try {
      return read(file);
    } catch (DiskException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }

  /** Writes a temporary file; its content is durable when it returns. */
  Path writeTemporary(Path file, StateWriter written) throws DiskException {
    return files.writeTemporary(file, output -> output.write(written.bytes(), 0, written.length()));
  }

  /** Whether a temporary file is still there. */
  boolean isThere(Path temporary) throws DiskException {
    FileStatus status = disk.status(temporary);
    return status != null && status.kind() == FileStatus.Kind.FILE;
  }

  /** Removes a temporary file if possible. */
  void discard(Path temporary) {
    files.discard(temporary);
  }
}
