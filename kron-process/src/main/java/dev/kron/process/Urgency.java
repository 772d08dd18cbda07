package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The priority of a daemon's threads beside the commands that the daemon starts. A thousand
 * commands in one second also want the processors, and the thread that decides about all of them
 * would get a thousandth of the time; the JVM's compilers, on the other hand, have time until
 * later.
 *
 * <p>Only root may raise a priority. Anyone may lower one, and ask for short time slices, which
 * newer kernels (6.12) grant sooner. What is raised is not inherited: new threads and processes are
 * ordinary again, so that no command ever runs with the daemon's priority.
 */
public final class Urgency {
  static final int NICE = -10;
  static final int PATIENT = 10;

  /** The beginning of the names of the JVM's compilers. */
  private static final List<String> COMPILERS = List.of("C1 ", "C2 ");

  private static final Path THREADS = Path.of("/proc/self/task");

  private static final int BYTES = 48;
  private static final int POLICY = 4;
  private static final int FLAGS = 8;
  private static final int NICE_VALUE = 16;
  private static final int TURN_NANOS = 24;
  private static final int ORDINARY = 0;
  private static final long NOT_HANDED_ON = 1;
  private static final long SHORT_NANOS = 500_000;
  private static final long THIS_THREAD = 0;

  private Urgency() {}

  /**
   * Raises the priority of the calling thread, as far as the system permits. A priority that
   * somebody has given to the daemon already is left alone.
   */
  public static void ofThisThread() {
    try (Libc libc = new Libc()) {
      MemorySegment attributes = libc.arena().allocate(BYTES, Long.BYTES);
      if (isUntouched(libc, THIS_THREAD, attributes)) {
        attributes.set(JAVA_LONG, FLAGS, NOT_HANDED_ON);
        attributes.set(JAVA_LONG, TURN_NANOS, SHORT_NANOS);
        if (set(libc, THIS_THREAD, attributes, NICE) < 0) {
          set(libc, THIS_THREAD, attributes, 0);
        }
      }
    }
  }

  /**
   * Lowers the priority of the threads that compile this program. What a busy second calls for the
   * first time would otherwise be compiled in that second, before its commands are started.
   */
  public static void ofCompilers() {
    try (Libc libc = new Libc();
        DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      MemorySegment attributes = libc.arena().allocate(BYTES, Long.BYTES);
      for (Path thread : threads) {
        String name = Files.readString(thread.resolve("comm"));
        long id = Long.parseLong(String.valueOf(thread.getFileName()));
        if (COMPILERS.stream().anyMatch(name::startsWith) && isUntouched(libc, id, attributes)) {
          set(libc, id, attributes, PATIENT);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // A thread has just ended, or nothing tells of threads: they stay as they are.
    }
  }

  private static boolean isUntouched(Libc libc, long thread, MemorySegment attributes) {
    int read = libc.syscall(Platform.SYS_SCHED_GETATTR, thread, attributes.address(), BYTES, 0);
    return read >= 0
        && attributes.get(JAVA_INT, POLICY) == ORDINARY
        && attributes.get(JAVA_INT, NICE_VALUE) == 0;
  }

  private static int set(Libc libc, long thread, MemorySegment attributes, int nice) {
    attributes.set(JAVA_INT, 0, BYTES);
    attributes.set(JAVA_INT, NICE_VALUE, nice);
    return libc.syscall(Platform.SYS_SCHED_SETATTR, thread, attributes.address(), 0, 0);
  }
}
