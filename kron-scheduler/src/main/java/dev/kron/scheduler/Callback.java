package dev.kron.scheduler;

import java.util.Objects;

/**
 * The work of a task. It runs on a virtual thread of its own; whatever it throws is a failed run.
 */
@FunctionalInterface
public interface Callback {
  void run() throws Exception;

  /** The scheduler calls this; a callback that {@link #of} made is told which run it is. */
  default void run(RunContext context) throws Exception {
    run();
  }

  /** A callback that is told which run it is. */
  static Callback of(Informed callback) {
    Objects.requireNonNull(callback, "callback");
    return new Callback() {
      @Override
      public void run() {
        throw new IllegalStateException("this callback runs in a scheduler only");
      }

      @Override
      public void run(RunContext context) throws Exception {
        callback.run(context);
      }
    };
  }

  /** A callback that wants to know which run it is. */
  @FunctionalInterface
  interface Informed {
    void run(RunContext run) throws Exception;
  }
}
