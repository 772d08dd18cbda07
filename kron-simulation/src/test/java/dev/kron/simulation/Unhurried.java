package dev.kron.simulation;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * Work that fills the processors for minutes, and takes what the tests beside it leave: those wait
 * for daemons and browsers that have to answer.
 */
public final class Unhurried {
  private static final int PROCESS = 0;
  private static final int THIS_THREAD = 0;
  private static final int NICE = 10;

  private Unhurried() {}

  /** From now on this thread goes last, and so does every thread that it starts. */
  @SuppressWarnings("restricted")
  public static void fromHereOn() {
    Linker linker = Linker.nativeLinker();
    MethodHandle setPriority =
        linker.downcallHandle(
            linker.defaultLookup().find("setpriority").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    try {
      int _ = (int) setPriority.invokeExact(PROCESS, THIS_THREAD, NICE);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
