package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * The priority of a daemon's thread over the commands that the daemon starts. A thousand commands
 * in one second also want the processors, and the thread that decides about all of them would get a
 * thousandth of the time.
 *
 * <p>Only root may raise a priority. Anyone may ask for short time slices, which newer kernels
 * (6.12) grant sooner. Neither is inherited: new threads and processes are ordinary again, so that
 * no command ever runs with the daemon's priority.
 */
public final class Urgency {
  static final int NICE = -10;

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
      int read =
          libc.syscall(Platform.SYS_SCHED_GETATTR, THIS_THREAD, attributes.address(), BYTES, 0);
      boolean untouched =
          attributes.get(JAVA_INT, POLICY) == ORDINARY && attributes.get(JAVA_INT, NICE_VALUE) == 0;
      if (read >= 0 && untouched && set(libc, attributes, NICE) < 0) {
        set(libc, attributes, 0);
      }
    }
  }

  private static int set(Libc libc, MemorySegment attributes, int nice) {
    attributes.set(JAVA_INT, 0, BYTES);
    attributes.set(JAVA_LONG, FLAGS, NOT_HANDED_ON);
    attributes.set(JAVA_INT, NICE_VALUE, nice);
    attributes.set(JAVA_LONG, TURN_NANOS, SHORT_NANOS);
    return libc.syscall(Platform.SYS_SCHED_SETATTR, THIS_THREAD, attributes.address(), 0, 0);
  }
}
