package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.time.Duration;

/** The kernel's clock that runs from boot, through sleep, whatever the wall clock is set to. */
public final class BootClock {

  private static final int CLOCK_BOOTTIME = 7;
  private static final int SC_CLK_TCK = 2;
  private static final long NANOS = 1_000_000_000L;
  private static final MethodHandle CLOCK_GETTIME =
      Libc.plain("clock_gettime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final long TICKS_PER_SECOND = ticksPerSecond();

  private BootClock() {}

  /** Nanoseconds since boot. */
  public static long nanos() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(JAVA_LONG, 2);
      int result = (int) CLOCK_GETTIME.invokeExact(CLOCK_BOOTTIME, time);
      if (result != 0) {
        throw new IllegalStateException("this kernel has no CLOCK_BOOTTIME");
      }
      return time.getAtIndex(JAVA_LONG, 0) * NANOS + time.getAtIndex(JAVA_LONG, 1);
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /** The time since a moment that is given in clock ticks. */
  static Duration since(long ticks) {
    long then =
        ticks / TICKS_PER_SECOND * NANOS + ticks % TICKS_PER_SECOND * NANOS / TICKS_PER_SECOND;
    return Duration.ofNanos(Math.max(0, nanos() - then));
  }

  static long millis(long ticks) {
    return ticks * 1000 / TICKS_PER_SECOND;
  }

  private static long ticksPerSecond() {
    MethodHandle sysconf = Libc.plain("sysconf", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    try {
      long ticks = (long) sysconf.invokeExact(SC_CLK_TCK);
      return ticks > 0 ? ticks : 100;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }
}
