package dev.kron.scheduler;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes a table's changes to the store, and gets over a store that fails for a while. */
final class StateWriter {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);
  private static final long PAUSE_MILLIS = 1000;

  private final TaskStore.Session session;
  private final String store;
  private @Nullable Throwable failure;
  private long readyAtMillis = Long.MIN_VALUE;
  private boolean updated;

  StateWriter(TaskStore.Session session, String store) {
    this.session = session;
    this.store = store;
  }

  /** Whether writing is worth an attempt; after a failure, only once in a while. */
  boolean ready(long nowMillis) {
    // A pause that looks longer than it was made comes from a clock that was set back.
    return nowMillis >= readyAtMillis || readyAtMillis - nowMillis > PAUSE_MILLIS;
  }

  long readyAtMillis() {
    return readyAtMillis;
  }

  /**
   * Makes all changes durable; whether it succeeded. A write that an interrupt cut off is repeated
   * at once: somebody else's interrupt says nothing about the store.
   */
  boolean write(TaskTable table, long nowMillis) {
    return tryToWrite(table, nowMillis) || (Thread.interrupted() && tryToWrite(table, nowMillis));
  }

  private boolean tryToWrite(TaskTable table, long nowMillis) {
    try {
      if (failure == null) {
        session.update(table.changedStates());
        updated = true;
      } else {
        session.replaceAll(table.states());
        LOG.info("State can be written to {} again", store);
      }
      failure = null;
      readyAtMillis = Long.MIN_VALUE;
      table.written();
      return true;
    } catch (Throwable failed) {
      if (failure == null) {
        LOG.error(
            "State cannot be written to {}: nothing new is started until it can", store, failed);
      }
      failure = failed;
      readyAtMillis = nowMillis + PAUSE_MILLIS;
      return false;
    }
  }

  /** What the last write failed with, or null. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** What the last write failed with, in the words of the caller who has to know. */
  TaskStoreException failureAtStop() {
    return new TaskStoreException(
        "The scheduler has stopped, but how its last runs ended could not be written to "
            + store
            + "; after a restart of the process they count as interrupted and run again",
        failure);
  }

  void maintain(TaskTable table, long nowMillis) {
    try {
      session.maintain(table::states);
    } catch (Throwable failed) {
      LOG.error("{} cannot be tidied up; it will be rewritten", store, failed);
      failure = failed;
      readyAtMillis = nowMillis + PAUSE_MILLIS;
    }
  }

  /** Leaves everything in one place, unless the last write failed, and gives the store back. */
  void close(TaskTable table) throws IOException {
    try (session) {
      if (updated && failure == null) {
        session.replaceAll(table.states());
      }
    }
  }
}
