package dev.kron.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Remembers tasks in a file, safe against crashes and power failures.
 *
 * <p>{@code tasks.json} holds all tasks, one a line. Changes are appended to a journal beside it
 * ({@code tasks.json.journal-N}, JSON lines): one batch, one checksum, one fsync, whatever the
 * number of tasks. When the journal has outgrown the file, and when the scheduler stops, a new file
 * takes the place of the old one and a new journal begins. {@code tasks.json.lock} keeps a second
 * scheduler out.
 *
 * <p>What cannot be read is never thrown away: the scheduler does not start, and says where the
 * trouble is.
 */
public final class FileTaskStore implements TaskStore {
  private final Path file;
  private final FileStoreDisk disk;

  FileTaskStore(Path file, FileStoreDisk disk) {
    this.file = file.toAbsolutePath().normalize();
    this.disk = disk;
  }

  /**
   * @param file for example {@code state/tasks.json}; its directory is created where it is missing
   */
  public static FileTaskStore at(Path file) {
    return new FileTaskStore(file, new FileSystemDisk());
  }

  @Override
  public Session open() throws IOException {
    Path parent = file.getParent();
    Path name = file.getFileName();
    if (parent == null || name == null) {
      throw new TaskStoreException(file + " cannot be a state file: it names no file", null);
    }
    Files.createDirectories(parent);
    // The real path, so that two ways to the same file are seen to be the same.
    Path directory = parent.toRealPath();
    StoreLock lock = StoreLock.acquire(directory.resolve(name + ".lock"), file);
    return new FileSession(disk, directory, name.toString(), lock);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
