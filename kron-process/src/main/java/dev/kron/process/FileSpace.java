package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The disk space of a file, which can be freed while other processes append to it. Processes that
 * opened the file with {@code O_APPEND} notice nothing.
 */
public final class FileSpace implements AutoCloseable {

  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int FALLOC_FL_PUNCH_HOLE = 2;
  private static final int FALLOC_FL_COLLAPSE_RANGE = 8;
  private static final int F_SETSIG = 10;
  private static final int F_SETLEASE = 1024;
  private static final int F_RDLCK = 0;
  private static final int F_UNLCK = 2;
  private static final int SIGURG = 23;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int ENXIO = 6;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;

  private static final MethodHandle FALLOCATE =
      Libc.function(
          "fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle LSEEK =
      Libc.function("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle FTRUNCATE =
      Libc.function("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

  private final Path file;
  private final int descriptor;
  private final long blockBytes;

  private FileSpace(Path file, int descriptor, long blockBytes) {
    this.file = file;
    this.descriptor = descriptor;
    this.blockBytes = blockBytes;
  }

  /** Opens an existing file; does not follow a symbolic link. */
  public static FileSpace open(Path file) throws IOException {
    long blockBytes = Files.getFileStore(file).getBlockSize();
    try (Libc libc = new Libc()) {
      int flags = Platform.O_RDWR | Platform.O_NOFOLLOW | Platform.O_CLOEXEC | Platform.O_NOCTTY;
      int descriptor = libc.open(file.toString(), flags, 0);
      if (descriptor == -Libc.ENOENT) {
        throw new NoSuchFileException(file.toString());
      }
      if (descriptor < 0) {
        throw new FileSystemException(file.toString(), null, Libc.message(-descriptor));
      }
      return new FileSpace(file, descriptor, blockBytes);
    }
  }

  /**
   * Whether somebody has the file open to write to it: the kernel grants no lease for reading then.
   * False where that cannot be known.
   */
  public static boolean isBeingWritten(Path file) {
    try (Libc libc = new Libc()) {
      int flags =
          Platform.O_RDONLY | Platform.O_NOFOLLOW | Platform.O_CLOEXEC | Platform.O_NONBLOCK;
      int descriptor = libc.open(file.toString(), flags, 0);
      if (descriptor < 0) {
        return false;
      }
      try {
        // Who opens it just now waits a moment, and its holder is told: by a signal that does
        // nothing, in place of one that ends the process.
        if (libc.fcntl(descriptor, F_SETSIG, SIGURG) < 0) {
          return false;
        }
        int lease = libc.fcntl(descriptor, F_SETLEASE, F_RDLCK);
        if (lease >= 0) {
          libc.fcntl(descriptor, F_SETLEASE, F_UNLCK);
        }
        return lease == -Libc.EAGAIN;
      } finally {
        libc.close(descriptor);
      }
    }
  }

  /** The block size; ranges are collapsed in multiples of it. */
  public long blockBytes() {
    return blockBytes;
  }

  /**
   * Frees a range, which then reads as zeros; offsets and the size stay the same. May be repeated.
   *
   * @return false if the file system cannot do it
   */
  public boolean punchHole(long offset, long length) throws IOException {
    return allocate(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, "free a part", offset, length);
  }

  /**
   * Removes a range from the file: the bytes after it move forward, and the file becomes shorter.
   * Both numbers are multiples of {@link #blockBytes}, and the range must not reach the end.
   *
   * @return false if the file system cannot do it
   */
  public boolean collapse(long offset, long length) throws IOException {
    return allocate(FALLOC_FL_COLLAPSE_RANGE, "take out a part", offset, length);
  }

  private boolean allocate(int mode, String what, long offset, long length) throws IOException {
    if (offset < 0 || length <= 0) {
      throw new IllegalArgumentException("no such range: " + length + " bytes from " + offset);
    }
    try (Libc libc = new Libc()) {
      int result;
      do {
        result =
            libc.orErrno(
                (int) FALLOCATE.invokeExact(libc.state(), descriptor, mode, offset, length));
      } while (result == -Libc.EINTR);
      // If the file system rejects the alignment of a collapse, it cannot collapse at all.
      boolean cannot =
          result == -EOPNOTSUPP
              || result == -ENOSYS
              || (result == -Libc.EINVAL && mode == FALLOC_FL_COLLAPSE_RANGE);
      if (result < 0 && !cannot) {
        throw new FileSystemException(
            file.toString(), null, "cannot " + what + ": " + Libc.message(-result));
      }
      return result >= 0;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /**
   * The offset of the first byte, from an offset on, that is not in a hole; null if there is none.
   * On a file system without holes everything is data.
   */
  public @Nullable Long dataFrom(long offset) throws IOException {
    return seek(offset, SEEK_DATA);
  }

  /** The offset of the first hole, from an offset on; at the latest the end of the file. */
  @Nullable Long holeFrom(long offset) throws IOException {
    return seek(offset, SEEK_HOLE);
  }

  private @Nullable Long seek(long offset, int what) throws IOException {
    try (Libc libc = new Libc()) {
      long found = libc.orErrno((long) LSEEK.invokeExact(libc.state(), descriptor, offset, what));
      if (found == -ENXIO) {
        return null;
      }
      if (found < 0) {
        throw new FileSystemException(
            file.toString(), null, "cannot look for data: " + Libc.message((int) -found));
      }
      return found;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /** Sets the length of the file: cuts it off, or adds a hole. */
  void truncate(long size) throws IOException {
    try (Libc libc = new Libc()) {
      int result = libc.orErrno((int) FTRUNCATE.invokeExact(libc.state(), descriptor, size));
      if (result < 0) {
        throw new FileSystemException(
            file.toString(), null, "cannot truncate: " + Libc.message(-result));
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  @Override
  public void close() {
    try (Libc libc = new Libc()) {
      libc.close(descriptor);
    }
  }
}
