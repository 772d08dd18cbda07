package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * A pipe with a name in the run's directory. A line that comes through it means that the command is
 * ready; what the line says does not matter.
 */
final class ReadyPipe implements ReadySource {
  static final String NAME = "ready";

  private static final int PRIVATE = 0600;
  private static final int CHUNK_BYTES = 4 << 10;

  /** The most that is read without a line's end. */
  private static final int LIMIT_BYTES = 64 << 10;

  private static final MethodHandle MKFIFO =
      Libc.function("mkfifo", FunctionDescriptor.of(JAVA_INT, ValueLayout.ADDRESS, JAVA_INT));

  private final int descriptor;
  private int bytes;

  private ReadyPipe(int descriptor) {
    this.descriptor = descriptor;
  }

  /**
   * Opens the pipe of a run, and makes it if it is not there. It is opened for both directions, so
   * that it never ends, and neither an other file in its place nor the lack of a writer delays
   * this.
   */
  static ReadyPipe open(Libc libc, Run run) throws IOException {
    Path file = run.directory().resolve(NAME);
    int made = make(libc, file.toString());
    if (made < 0 && made != -Libc.EEXIST) {
      throw new IOException("cannot make the pipe " + file + ": " + Libc.message(-made));
    }
    int flags = Platform.O_RDWR | Platform.O_NONBLOCK | Platform.O_NOFOLLOW | Platform.O_CLOEXEC;
    int descriptor = libc.open(file.toString(), flags, 0);
    if (descriptor < 0) {
      throw new IOException("cannot open the pipe " + file + ": " + Libc.message(-descriptor));
    }
    if (!libc.isPipe(descriptor)) {
      libc.close(descriptor);
      throw new IOException(file + " is no pipe");
    }
    return new ReadyPipe(descriptor);
  }

  private static int make(Libc libc, String file) {
    try {
      return libc.orErrno((int) MKFIFO.invokeExact(libc.state(), libc.string(file), PRIVATE));
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  @Override
  public int descriptor() {
    return descriptor;
  }

  @Override
  public Heard read(Libc libc, Readiness.Listener listener) {
    MemorySegment chunk = libc.arena().allocate(CHUNK_BYTES);
    long count = libc.read(descriptor, chunk);
    for (long i = 0; i < count; i++) {
      if (chunk.get(JAVA_BYTE, i) == '\n') {
        return Heard.READY;
      }
    }
    if (count <= 0) {
      return Heard.NOTHING;
    }
    bytes += (int) count;
    return bytes >= LIMIT_BYTES ? Heard.NONSENSE : Heard.MORE;
  }

  /** A command that goes on writing fills the pipe and then waits, at nobody else's expense. */
  @Override
  public boolean staysOpen() {
    return false;
  }
}
