package dev.kron.scheduler;

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

/**
 * Lets one scheduler at a time, on the whole machine, hold a file.
 *
 * <p>A FileChannel's lock is the process's: it is dropped silently as soon as the process closes
 * <em>any</em> descriptor of the lock file. So within one process nobody opens the file who does
 * not get the lock: those who ask are turned away by a table of held paths first, and a channel
 * that was opened past that table (a second copy of this class in another class loader) is never
 * closed.
 */
final class StoreLock implements FileSession.Lock {
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();
  private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

  private final Path file;
  private final Path what;
  private Held held;

  /** The lock file, open and locked. */
  private record Held(FileChannel channel, FileIdentity identity) {}

  private StoreLock(Path file, Path what, Held held) {
    this.file = file;
    this.what = what;
    this.held = held;
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
    boolean held = false;
    try {
      StoreLock lock = new StoreLock(file, what, lock(file, what));
      held = true;
      return lock;
    } finally {
      if (!held) {
        HELD_HERE.remove(file);
      }
    }
  }

  /** Opens the file and locks it; a lock that stayed behind would keep out every later attempt. */
  private static Held lock(Path file, Path what) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    boolean held = false;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(what, "(process " + holder(channel) + ")");
      }
      writeHolder(channel);
      Held locked = new Held(channel, FileIdentity.of(file));
      held = true;
      return locked;
    } catch (OverlappingFileLockException heldByAnotherClassLoader) {
      NEVER_CLOSED.add(channel);
      held = true;
      throw inUse(what, "in this process");
    } finally {
      if (!held) {
        channel.close();
      }
    }
  }

  @Override
  public boolean inPlace() {
    return held.identity().inPlace();
  }

  @Override
  public void takeAgain(FileSession.Condition condition) throws IOException {
    Held again = lock(file, what);
    FileChannel unused = again.channel();
    try {
      condition.require();
      unused = held.channel();
      held = again;
    } finally {
      unused.close();
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
    try {
      held.channel().close();
    } finally {
      HELD_HERE.remove(file);
    }
  }
}
