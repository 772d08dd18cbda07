package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * Knows whether the present thread is inside a callback or a listener of this scheduler, where
 * waiting for the scheduler would be waiting for oneself. (To stop another scheduler from there is
 * nothing out of the ordinary.)
 */
final class Inside {
  /** The name of a listener in messages. */
  static final Object LISTENER = "a listener";

  private static final ThreadLocal<@Nullable Frame> INNERMOST = new ThreadLocal<>();

  private record Frame(Inside scheduler, Object where, @Nullable Frame outer) {}

  /**
   * Runs something that belongs to the scheduler's user.
   *
   * @param where what it is, by its {@code toString}, which is asked for only when it is needed
   */
  void run(Object where, Callback callback) throws Exception {
    Frame outer = INNERMOST.get();
    INNERMOST.set(new Frame(this, where, outer));
    try {
      callback.run();
    } finally {
      if (outer == null) {
        INNERMOST.remove();
      } else {
        INNERMOST.set(outer);
      }
    }
  }

  /** Refuses what waits for the scheduler's callbacks or listeners. */
  void refuse(String operation) {
    for (Frame frame = INNERMOST.get(); frame != null; frame = frame.outer) {
      if (frame.scheduler == this) {
        throw new SchedulerReentrancyException(operation, frame.where);
      }
    }
  }

  /** Refuses what waits for the scheduler's loop, which may be telling the listener just now. */
  void refuseListeners(String operation) {
    for (Frame frame = INNERMOST.get(); frame != null; frame = frame.outer) {
      if (frame.scheduler == this && frame.where.equals(LISTENER)) {
        throw new SchedulerReentrancyException(operation, frame.where);
      }
    }
  }
}
