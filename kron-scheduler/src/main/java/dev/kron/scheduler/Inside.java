package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * Knows whether the present thread is inside a callback or a listener of this scheduler, where
 * waiting for the scheduler would be waiting for oneself.
 */
final class Inside {
  private final ThreadLocal<@Nullable String> place = new ThreadLocal<>();

  /** Runs something that belongs to the scheduler's user. */
  void run(String where, Callback callback) throws Exception {
    String outer = place.get();
    place.set(where);
    try {
      callback.run();
    } finally {
      if (outer == null) {
        place.remove();
      } else {
        place.set(outer);
      }
    }
  }

  void refuse(String operation) {
    String where = place.get();
    if (where != null) {
      throw new IllegalStateException(
          operation
              + "() was called from within "
              + where
              + " of the same scheduler and would wait for itself; call it from another thread");
    }
  }
}
