package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.LongConsumer;

/**
 * A set of descriptors that one thread waits for, and a way to wake that thread. Each descriptor is
 * known by a token of its own, which is above {@link #WAKE_UP}.
 */
final class Epoll {
  /** The token of the descriptor that wakes the thread. */
  static final long WAKE_UP = 0;

  static final int FOREVER = -1;

  /** A descriptor has something to read. */
  static final int IN = 1;

  /** A descriptor is reported once. */
  static final int ONESHOT = 1 << 30;

  private static final int ADD = 1;
  private static final int DELETE = 2;
  private static final int BATCH = 256;

  private static final MethodHandle CREATE =
      Libc.function("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle CONTROL =
      Libc.function(
          "epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle WAIT =
      Libc.function(
          "epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle EVENTFD =
      Libc.function("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  private final int set;
  private final int wakeUp;

  Epoll() {
    try (Libc libc = new Libc()) {
      set =
          check(libc.orErrno((int) CREATE.invokeExact(libc.state(), Platform.O_CLOEXEC)), "epoll");
      wakeUp =
          check(
              libc.orErrno((int) EVENTFD.invokeExact(libc.state(), 0, Platform.O_CLOEXEC)),
              "eventfd");
      check(add(libc, wakeUp, WAKE_UP, IN), "epoll_ctl");
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /** Adds a descriptor; returns the negative error number if that fails. */
  int add(Libc libc, int descriptor, long token, int events) {
    MemorySegment event = libc.arena().allocate(Platform.EPOLL_EVENT_BYTES, 8);
    event.set(JAVA_INT, 0, events);
    event.set(JAVA_LONG_UNALIGNED, Platform.EPOLL_EVENT_DATA, token);
    return control(libc, ADD, descriptor, event);
  }

  /**
   * Removes a descriptor that is about to be closed. Closing alone is not enough: a child that is
   * being started may have a copy of it for a moment.
   */
  void remove(Libc libc, int descriptor) {
    control(libc, DELETE, descriptor, MemorySegment.NULL);
  }

  private int control(Libc libc, int operation, int descriptor, MemorySegment event) {
    try {
      return libc.orErrno(
          (int) CONTROL.invokeExact(libc.state(), set, operation, descriptor, event));
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /** Memory for what {@link #await} reports, for as long as the thread lives. */
  static MemorySegment events(Libc libc) {
    return libc.arena().allocate((long) BATCH * Platform.EPOLL_EVENT_BYTES, 8);
  }

  /**
   * Waits until something is to be reported, or the thread is woken.
   *
   * @param millis the longest wait; {@link #FOREVER} for no limit
   * @param ready gets the tokens of the descriptors
   */
  void await(Libc libc, MemorySegment events, int millis, LongConsumer ready) {
    int count = await(libc, events, millis);
    for (int i = 0; i < count; i++) {
      long token =
          events.get(
              JAVA_LONG_UNALIGNED,
              (long) i * Platform.EPOLL_EVENT_BYTES + Platform.EPOLL_EVENT_DATA);
      if (token == WAKE_UP) {
        try (Libc call = new Libc()) {
          call.read(wakeUp, call.arena().allocate(JAVA_LONG));
        }
      } else {
        ready.accept(token);
      }
    }
  }

  private int await(Libc libc, MemorySegment events, int millis) {
    try {
      int count = libc.orErrno((int) WAIT.invokeExact(libc.state(), set, events, BATCH, millis));
      return count == -Libc.EINTR ? 0 : check(count, "epoll_wait");
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  /** Lets the thread return from its wait. */
  void wake(Libc libc) {
    libc.write(wakeUp, libc.arena().allocateFrom(JAVA_LONG, 1));
  }

  void close(Libc libc) {
    libc.close(set);
    libc.close(wakeUp);
  }

  private static int check(int result, String call) {
    if (result < 0) {
      throw new IllegalStateException(call + ": " + Libc.message(-result));
    }
    return result;
  }
}
