package dev.kron.scheduler;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes a table's changes to the store, and gets over a store that fails for a while. */
interface TableWriter {
  /** Whether writing is worth an attempt; after a failure, only once in a while. */
  boolean ready(long nowMillis);

  long readyAtMillis();

  /** Makes all changes durable; whether it succeeded. */
  boolean write(TaskTable table, long nowMillis);

  /** The failure of the last write, or null. */
  @Nullable Throwable failure();

  /** Whether a write is worth an attempt though nothing has changed: all is to be written anew. */
  default boolean owesEverything() {
    return false;
  }

  /** The failure that keeps state from being written or read at present, or null. */
  default @Nullable Throwable trouble() {
    return failure();
  }

  /** The failure of the last write, in the words of the caller who has to know. */
  TaskStoreException failureAtStop();

  /** Tidies up, when nothing urgent is waiting. */
  void maintain(TaskTable table, long nowMillis);

  /** Leaves everything in one place, unless the last write failed, and gives the store back. */
  void close(TaskTable table) throws IOException;

  /** Looks at the store, if it is time to: whether it is there, and what others did. */
  void refresh(TaskTable table, long nowMillis);

  /** When to look again. */
  default long lookAgainMillis() {
    return Long.MAX_VALUE;
  }

  /**
   * The number of starts that a write is to have at most, so that they need not wait for all
   * others.
   */
  default int startsAtOnce() {
    return Integer.MAX_VALUE;
  }

  /** Whether anything may be started here. */
  default boolean mayStart() {
    return true;
  }
}
