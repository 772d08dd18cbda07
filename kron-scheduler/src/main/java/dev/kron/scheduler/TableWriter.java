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

  /** What the last write failed with, or null. */
  @Nullable Throwable failure();

  /** What the last write failed with, in the words of the caller who has to know. */
  TaskStoreException failureAtStop();

  /** Tidies up, when nothing urgent is waiting. */
  void maintain(TaskTable table, long nowMillis);

  /** Leaves everything in one place, unless the last write failed, and gives the store back. */
  void close(TaskTable table) throws IOException;

  /** Takes in what others did, if it is time to look. */
  default void refresh(TaskTable table, long nowMillis) {}

  /** When to look again. */
  default long lookAgainMillis() {
    return Long.MAX_VALUE;
  }

  /** How many starts a write is to have at most, so that they need not wait for all others. */
  default int startsAtOnce() {
    return Integer.MAX_VALUE;
  }

  /** Whether anything may be started here. */
  default boolean mayStart() {
    return true;
  }
}
