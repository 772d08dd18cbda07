package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * What the C library holds for this process beside the heap of Java. It keeps what was freed for
 * the next who asks, and most of that was needed once, by the compiler at the start.
 */
public final class NativeMemory {
  private static final MethodHandle MALLOC_TRIM =
      Libc.plain("malloc_trim", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

  private NativeMemory() {}

  /** Gives back to the system what is free; whether there was any. */
  public static boolean trim() {
    try {
      return (int) MALLOC_TRIM.invokeExact(0L) == 1;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }
}
