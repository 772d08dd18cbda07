package dev.kron.scheduler;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * A store in which a scheduler remembers its tasks. Everything is called by one thread at a time,
 * and nothing is called between two sessions.
 */
public interface TaskStore {
  /**
   * Takes the store for one scheduler; the session holds it until it is closed.
   *
   * @throws TaskStoreException if somebody else holds it
   */
  Session open() throws IOException;

  /** The store in one scheduler's hands. */
  interface Session extends AutoCloseable {
    /**
     * All states that are remembered, one a task, in any order.
     *
     * @throws TaskTryDeserializeException if there is something that cannot be read; it stays
     */
    List<TaskState> load() throws IOException;

    /**
     * Remembers exactly these tasks and no others. All or nothing: after an exception the store
     * still holds what it held. Also called to recover after {@link #update} failed, so it must not
     * build on anything that a failed write left behind.
     */
    void replaceAll(Collection<TaskState> tasks) throws IOException;

    /**
     * Remembers a batch of new states of tasks that are already known; durable when it returns. Its
     * cost should depend on the batch and not on the number of tasks.
     */
    void update(Collection<TaskState> changed) throws IOException;

    /**
     * Offered after updates, when nothing urgent is waiting, to tidy up.
     *
     * @param all the present states of all tasks, if they are needed
     */
    default void maintain(Supplier<Collection<TaskState>> all) throws IOException {}

    /**
     * Asked every few seconds while nothing is written, so that a store that is gone is not noticed
     * only when the next task is due.
     *
     * @throws IOException if what was written would not be found; everything is then written anew,
     *     with {@link #replaceAll}
     */
    default void check() throws IOException {}

    /** Gives the store back. */
    @Override
    void close() throws IOException;
  }
}
