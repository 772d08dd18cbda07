package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * {@code posix_spawn} of a child in a session of its own, with all signals at their defaults and
 * none blocked, and with exactly the descriptors it is given. NIO opens files without {@code
 * O_CLOEXEC}, so every other descriptor is closed in the child explicitly.
 */
final class Spawner {

  private static final short SETSIGDEF = 0x04;
  private static final short SETSIGMASK = 0x08;
  private static final short SETSID = 0x80;

  /** More than any architecture needs for attributes, actions or a signal set. */
  private static final long OPAQUE_BYTES = 512;

  private static final MethodHandle SPAWN =
      Libc.plain(
          "posix_spawn",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle ACTIONS_INIT = actions("init");
  private static final MethodHandle ACTIONS_DESTROY = actions("destroy");
  private static final MethodHandle ADD_DUP2 =
      Libc.plain(
          "posix_spawn_file_actions_adddup2",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle ADD_CLOSE_FROM =
      Libc.plain(
          "posix_spawn_file_actions_addclosefrom_np",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

  /** The attributes; never written after construction, so every thread may use them. */
  private final MemorySegment attributes;

  Spawner() {
    attributes = Arena.global().allocate(OPAQUE_BYTES, 16);
    MemorySegment all = Arena.global().allocate(OPAQUE_BYTES, 16);
    MemorySegment none = Arena.global().allocate(OPAQUE_BYTES, 16);
    // sigfillset would leave out the two signals that glibc reserves, and the child would ignore
    // them.
    all.fill((byte) 0xff);
    MethodHandle init =
        Libc.plain("posix_spawnattr_init", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    FunctionDescriptor setSignals = FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS);
    MethodHandle setDefault = Libc.plain("posix_spawnattr_setsigdefault", setSignals);
    MethodHandle setMask = Libc.plain("posix_spawnattr_setsigmask", setSignals);
    MethodHandle setFlags =
        Libc.plain(
            "posix_spawnattr_setflags", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_SHORT));
    try {
      check((int) init.invokeExact(attributes), "posix_spawnattr_init");
      check((int) setDefault.invokeExact(attributes, all), "posix_spawnattr_setsigdefault");
      check((int) setMask.invokeExact(attributes, none), "posix_spawnattr_setsigmask");
      check(
          (int) setFlags.invokeExact(attributes, (short) (SETSIGDEF | SETSIGMASK | SETSID)),
          "posix_spawnattr_setflags");
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /**
   * Starts a program.
   *
   * @param descriptors the child's open files: the n-th as descriptor n, nothing else
   * @return its pid, or the negative error number
   */
  int spawn(
      Libc libc,
      String program,
      List<String> arguments,
      List<String> environment,
      int[] descriptors) {
    MemorySegment actions = libc.arena().allocate(OPAQUE_BYTES, 16);
    MemorySegment pid = libc.arena().allocate(JAVA_INT);
    try {
      check((int) ACTIONS_INIT.invokeExact(actions), "posix_spawn_file_actions_init");
      for (int i = 0; i < descriptors.length; i++) {
        if (descriptors[i] < descriptors.length) {
          // The descriptor would be overwritten before its turn comes.
          throw new IllegalArgumentException("descriptor " + descriptors[i] + " is too low");
        }
        check((int) ADD_DUP2.invokeExact(actions, descriptors[i], i), "adddup2");
      }
      check((int) ADD_CLOSE_FROM.invokeExact(actions, descriptors.length), "addclosefrom_np");
      int error =
          (int)
              SPAWN.invokeExact(
                  pid,
                  libc.string(program),
                  actions,
                  attributes,
                  libc.strings(arguments),
                  libc.strings(environment));
      int ignored = (int) ACTIONS_DESTROY.invokeExact(actions);
      return error == 0 ? pid.get(JAVA_INT, 0) : -error;
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  private static MethodHandle actions(String verb) {
    return Libc.plain("posix_spawn_file_actions_" + verb, FunctionDescriptor.of(JAVA_INT, ADDRESS));
  }

  private static void check(int error, String call) {
    if (error != 0) {
      throw new IllegalStateException(call + ": " + Libc.message(error));
    }
  }
}
