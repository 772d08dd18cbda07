package dev.kron.store;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.kron.store.DiskException.Reason;
import dev.kron.store.FileStatus.Kind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The machine's own file systems. */
public final class LinuxDisk implements Disk {
  private static final int PRIVATE_FILE = 0600;

  /**
   * The size of a chunk. Most files are smaller, and the whole chunk is cleared for each of them.
   */
  private static final int CHUNK_BYTES = 4 * 1024;

  private static final int TYPE_MASK = 0170000;

  /** Offsets in {@code struct statx}, the same on every architecture. */
  private static final int STATX_BYTES = 256;

  private static final int STATX_UID = 20;
  private static final int STATX_MODE = 28;
  private static final int STATX_SIZE = 40;
  private static final int STATX_BLOCKS = 48;
  private static final int STATX_BLOCK_BYTES = 512;

  private final int user = SystemCalls.effectiveUser();

  @Override
  public int user() {
    return user;
  }

  @Override
  public @Nullable FileStatus status(Path path) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(STATX_BYTES);
      int result = SystemCalls.statx(arena, path, status);
      if (result == -Errno.ENOENT) {
        return null;
      }
      check("look at", path, result);
      int mode = status.get(ValueLayout.JAVA_SHORT, STATX_MODE) & 0xffff;
      return new FileStatus(
          kind(mode),
          status.get(ValueLayout.JAVA_INT, STATX_UID),
          mode & 07777,
          status.get(ValueLayout.JAVA_LONG, STATX_SIZE),
          status.get(ValueLayout.JAVA_LONG, STATX_BLOCKS) * STATX_BLOCK_BYTES);
    }
  }

  @Override
  public @Nullable String exposure(Path directory) throws DiskException {
    try {
      Object group = Files.getAttribute(Path.of("/proc/self"), "unix:gid");
      return new DirectoriesAbove(user, (Integer) group).problem(directory);
    } catch (IOException e) {
      throw failure("look at", directory, e);
    }
  }

  private static Kind kind(int mode) {
    return switch (mode & TYPE_MASK) {
      case 0100000 -> Kind.FILE;
      case 0040000 -> Kind.DIRECTORY;
      case 0120000 -> Kind.SYMBOLIC_LINK;
      default -> Kind.OTHER;
    };
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        names.add(entry.getFileName().toString());
      }
      return names;
    } catch (DirectoryIteratorException e) {
      throw failure("list", directory, Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw failure("list", directory, e);
    }
  }

  @Override
  public int read(Path file, long offset, byte[] buffer) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      // Opened without blocking: if a pipe stands in the file's place, nobody waits for its writer.
      int descriptor = open(arena, "read", file, SystemCalls.O_RDONLY | SystemCalls.O_NONBLOCK);
      try {
        MemorySegment chunk = arena.allocate(Math.min(buffer.length, CHUNK_BYTES));
        int done = 0;
        while (done < buffer.length) {
          long length = Math.min(buffer.length - done, chunk.byteSize());
          long count = SystemCalls.pread(arena, descriptor, chunk, length, offset + done);
          if (count < 0) {
            throw failure("read", file, (int) -count);
          }
          MemorySegment.copy(chunk, ValueLayout.JAVA_BYTE, 0, buffer, done, (int) count);
          done += (int) count;
          if (count < length) {
            break; // nothing but its end makes a file give less
          }
        }
        return done;
      } finally {
        SystemCalls.close(descriptor);
      }
    }
  }

  @Override
  public Output create(Path file) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      int flags = SystemCalls.O_WRONLY | SystemCalls.O_CREAT | SystemCalls.O_EXCL;
      return new LinuxOutput(file, open(arena, "create", file, flags), false);
    }
  }

  @Override
  public Output append(Path file) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      int flags = SystemCalls.O_WRONLY | SystemCalls.O_CREAT | SystemCalls.O_APPEND;
      return new LinuxOutput(file, open(arena, "append to", file, flags), true);
    }
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw failure("rename to " + to.getFileName(), from, e);
    }
  }

  @Override
  public void delete(Path path) throws DiskException {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw failure("delete", path, e);
    }
  }

  @Override
  public boolean deleteUnused(Path file) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      int descriptor = open(arena, "delete", file, SystemCalls.O_RDONLY | SystemCalls.O_NONBLOCK);
      try {
        FileStatus status = status(file);
        if (status == null
            || status.kind() != Kind.FILE
            || SystemCalls.leaseAlone(arena, descriptor) < 0
            || SystemCalls.pread(arena, descriptor, arena.allocate(1), 1, 0) != 0) {
          return false;
        }
        delete(file);
        return true;
      } finally {
        SystemCalls.close(descriptor);
      }
    }
  }

  @Override
  public boolean isUnused(Path file) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      int descriptor = open(arena, "look at", file, SystemCalls.O_RDONLY | SystemCalls.O_NONBLOCK);
      try {
        boolean alone = SystemCalls.leaseAlone(arena, descriptor) >= 0;
        SystemCalls.giveBackLease(arena, descriptor);
        return alone;
      } finally {
        SystemCalls.close(descriptor);
      }
    }
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    try {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw failure("create directory", directory, e);
    }
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      int flags = SystemCalls.O_RDONLY | SystemCalls.O_DIRECTORY;
      int descriptor = open(arena, "sync directory", directory, flags);
      try {
        check("sync directory", directory, SystemCalls.fsync(descriptor));
      } finally {
        SystemCalls.close(descriptor);
      }
    }
  }

  @Override
  public @Nullable Lock tryLock(Path directory) throws DiskException {
    try (Arena arena = Arena.ofConfined()) {
      int flags = SystemCalls.O_RDONLY | SystemCalls.O_DIRECTORY;
      int descriptor = open(arena, "lock", directory, flags);
      int result = SystemCalls.flock(descriptor, SystemCalls.LOCK_EXCLUSIVE_NOW);
      if (result == 0) {
        try {
          return new LinuxLock(directory, descriptor);
        } catch (DiskException e) {
          SystemCalls.close(descriptor);
          throw e;
        }
      }
      SystemCalls.close(descriptor);
      if (result == -Errno.EAGAIN) {
        return null;
      }
      throw failure("lock", directory, -result);
    }
  }

  private static int open(Arena arena, String operation, Path file, int flags)
      throws DiskException {
    int more = SystemCalls.O_CLOEXEC | SystemCalls.O_NOFOLLOW;
    int descriptor = SystemCalls.open(arena, file, flags | more, PRIVATE_FILE);
    check(operation, file, descriptor);
    return descriptor;
  }

  private static void check(String operation, Path path, int result) throws DiskException {
    if (result < 0) {
      throw failure(operation, path, -result);
    }
  }

  private static DiskException failure(String operation, Path path, int errno) {
    return new DiskException(operation, path, Errno.reason(errno), Errno.text(errno));
  }

  private static DiskException failure(String operation, Path path, IOException cause) {
    Reason reason =
        switch (cause) {
          case NoSuchFileException _ -> Reason.NOT_FOUND;
          case AccessDeniedException _ -> Reason.NO_PERMISSION;
          case FileAlreadyExistsException _ -> Reason.EXISTS;
          case DirectoryNotEmptyException _ -> Reason.NOT_EMPTY;
          case NotDirectoryException _ -> Reason.NOT_A_FILE;
          case FileSystemException e -> Errno.reason(e.getReason());
          default -> Errno.reason(cause.getMessage());
        };
    String words = cause instanceof FileSystemException e ? e.getReason() : cause.getMessage();
    DiskException failure =
        new DiskException(operation, path, reason, words == null ? reason.text() : words);
    failure.initCause(cause);
    return failure;
  }

  /**
   * A descriptor that is closed at most once, so that a number which was assigned again is never
   * closed.
   */
  private abstract static class Descriptor {
    final Path file;
    final int descriptor;
    private boolean open = true;

    Descriptor(Path file, int descriptor) {
      this.file = file;
      this.descriptor = descriptor;
    }

    final synchronized void release() {
      if (open) {
        open = false;
        letGo();
        SystemCalls.close(descriptor);
      }
    }

    /** What comes before the descriptor is closed. */
    void letGo() {}
  }

  private static final class LinuxOutput extends Descriptor implements Output {
    private final boolean appending;

    LinuxOutput(Path file, int descriptor, boolean appending) {
      super(file, descriptor);
      this.appending = appending;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws DiskException {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment content = arena.allocate(Math.max(1, length)).asSlice(0, length);
        MemorySegment.copy(bytes, offset, content, ValueLayout.JAVA_BYTE, 0, length);
        check("write", file, SystemCalls.writeFully(arena, descriptor, content));
      }
    }

    @Override
    public void sync() throws DiskException {
      check(
          "sync",
          file,
          appending ? SystemCalls.fdatasync(descriptor) : SystemCalls.fsync(descriptor));
    }

    @Override
    public void close() {
      release();
    }
  }

  private static final class LinuxLock extends Descriptor implements Lock {
    private final Object identity;

    LinuxLock(Path file, int descriptor) throws DiskException {
      super(file, descriptor);
      Object found = identity(Path.of("/proc/self/fd/" + descriptor));
      this.identity = found == null ? new Object() : found;
    }

    @Override
    public boolean isInPlace() throws DiskException {
      return identity.equals(identity(file, NOFOLLOW_LINKS));
    }

    /** Device and inode, which no other file gets while the descriptor is open. */
    private static @Nullable Object identity(Path path, LinkOption... options)
        throws DiskException {
      try {
        return Files.readAttributes(path, "unix:dev,ino", options);
      } catch (NoSuchFileException e) {
        return null;
      } catch (IOException e) {
        throw failure("look at", path, e);
      }
    }

    /**
     * A child that is being started has a copy of the descriptor until it is rid of all that is not
     * its own, and the lock is held as long as there is one: closing alone would not free it.
     */
    @Override
    void letGo() {
      int _ = SystemCalls.flock(descriptor, SystemCalls.LOCK_FREE);
    }

    @Override
    public void close() {
      release();
    }
  }
}
