package dev.kron.scheduler;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Lets one scheduler at a time, on the whole machine, hold a file.
 *
 * <p>A FileChannel's lock is the process's: it is dropped silently as soon as the process closes
 * <em>any</em> descriptor of the lock file. So within one process nobody opens the file who does
 * not get the lock: those who ask are turned away by a table of held paths first, and a channel
 * that was opened past that table (a second copy of this class in another class loader) is never
 * closed.
 */
final class StoreLock implements Closeable {
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();
  private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

  private final Path file;
  private final FileChannel channel;

  private StoreLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * @param file the lock file, by its real path; it is created, and stays
   * @param what is locked, for the message
   * @throws TaskStoreException if somebody holds it
   */
  static StoreLock acquire(Path file, Path what) throws IOException {
    if (!HELD_HERE.add(file)) {
      throw inUse(what, "in this process");
    }
    FileChannel channel = null;
    boolean held = false;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(what, "(process " + holder(channel) + ")");
      }
      writeHolder(channel);
      held = true;
      return new StoreLock(file, channel);
    } catch (OverlappingFileLockException heldByAnotherClassLoader) {
      if (channel != null) {
        NEVER_CLOSED.add(channel);
        channel = null;
      }
      throw inUse(what, "in this process");
    } finally {
      if (!held) {
        giveUp(file, channel);
      }
    }
  }

  /** A lock that stayed behind would keep out every later attempt of this process. */
  private static void giveUp(Path file, @Nullable FileChannel channel) throws IOException {
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      HELD_HERE.remove(file);
    }
  }

  private static TaskStoreException inUse(Path what, String by) {
    return new TaskStoreException(
        what
            + " is in use by another scheduler "
            + by
            + "; one scheduler at a time may use a task store. Stop the other one first, or give"
            + " this one a file of its own.",
        null);
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(32);
    channel.read(bytes, 0);
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII).strip();
  }

  private static void writeHolder(FileChannel channel) throws IOException {
    String pid = ProcessHandle.current().pid() + "\n";
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
  }

  @Override
  public void close() throws IOException {
    giveUp(file, channel);
  }
}
