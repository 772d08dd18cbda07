package dev.kron.scheduler;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes to a store that one scheduler has to itself. */
final class ExclusiveWriter implements TableWriter {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);
  private static final long PAUSE_MILLIS = 1000;
  private static final long CHECK_MILLIS = 5000;

  private final TaskStore.Session session;
  private final String store;
  private @Nullable Throwable failure;
  private long readyAtMillis = Long.MIN_VALUE;
  private long checkAtMillis = Long.MIN_VALUE;
  private boolean updated;

  ExclusiveWriter(TaskStore.Session session, String store) {
    this.session = session;
    this.store = store;
  }

  @Override
  public boolean ready(long nowMillis) {
    // A pause that looks longer than it was made comes from a clock that was set back.
    return nowMillis >= readyAtMillis || readyAtMillis - nowMillis > PAUSE_MILLIS;
  }

  @Override
  public long readyAtMillis() {
    return readyAtMillis;
  }

  /** Looks whether the store is still there, also while nothing is written for a day. */
  @Override
  public void refresh(TaskTable table, long nowMillis) {
    if (failure == null
        && (nowMillis >= checkAtMillis || checkAtMillis - nowMillis > CHECK_MILLIS)) {
      checkAtMillis = nowMillis + CHECK_MILLIS;
      try {
        session.check();
      } catch (Throwable gone) {
        failed(gone, nowMillis);
      }
    }
  }

  /**
   * Makes all changes durable; whether it succeeded. A write that an interrupt cut off is repeated
   * at once: somebody else's interrupt says nothing about the store.
   */
  @Override
  public boolean write(TaskTable table, long nowMillis) {
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
      failed(failed, nowMillis);
      return false;
    }
  }

  private void failed(Throwable cause, long nowMillis) {
    if (failure == null) {
      LOG.error("State cannot be written to {}: nothing new is started until it can", store, cause);
    }
    failure = cause;
    readyAtMillis = nowMillis + PAUSE_MILLIS;
  }

  @Override
  public boolean owesEverything() {
    return failure != null;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public TaskStoreException failureAtStop() {
    return new TaskStoreException(
        "The scheduler has stopped, but how its last runs ended could not be written to "
            + store
            + "; after a restart of the process they count as interrupted and run again",
        failure);
  }

  @Override
  public void maintain(TaskTable table, long nowMillis) {
    try {
      session.maintain(table::states);
    } catch (Throwable failed) {
      LOG.error("{} cannot be tidied up; it will be rewritten", store, failed);
      failure = failed;
      readyAtMillis = nowMillis + PAUSE_MILLIS;
    }
  }

  @Override
  public void close(TaskTable table) throws IOException {
    try (session) {
      if (updated && failure == null) {
        session.replaceAll(table.states());
      }
    }
  }
}
