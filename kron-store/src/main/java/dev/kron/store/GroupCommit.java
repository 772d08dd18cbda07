package dev.kron.store;

import dev.kron.job.HistoryEntry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes state changes from the daemon's loop without ever blocking it, and commits whatever has
 * come together meanwhile. Changes of one job are committed in the order in which they were
 * submitted; several that wait together become one write of the last state with the entries of all.
 * So at most one change per job waits, which bounds the queue.
 *
 * <p>Design: the queue is a map in order of arrival. One thread takes a batch, commits it, and
 * reports each result before it takes the next, so a later change of a job can never overtake an
 * earlier one. A batch is small enough that the first of a thousand intents is durable long before
 * the last, and large enough that they share the directory's fsync.
 */
public final class GroupCommit implements AutoCloseable {
  private static final int BATCH = 128;

  /** So many are a batch worth the fsync, whoever is still to come. */
  private static final int ENOUGH = 32;

  private final JobStates states;
  private final Map<String, Waiting> queue = new LinkedHashMap<>();
  private boolean gathering;
  private boolean closed;
  private @Nullable Thread thread;

  private static final class Waiting {
    StateChange change;
    final List<Consumer<? super CommitResult>> listeners = new ArrayList<>(1);

    Waiting(StateChange change) {
      this.change = change;
    }
  }

  public GroupCommit(JobStates states) {
    this.states = states;
  }

  /**
   * Never blocks.
   *
   * @param listener told once, on the committing thread, what came of it
   */
  public void submit(StateChange change, Consumer<? super CommitResult> listener) {
    synchronized (queue) {
      if (closed) {
        throw new IllegalStateException("closed: no state is written any more");
      }
      Waiting waiting = queue.get(change.state().identity());
      if (waiting == null) {
        waiting = new Waiting(change);
        queue.put(change.state().identity(), waiting);
      } else {
        waiting.change = merge(waiting.change, change);
      }
      waiting.listeners.add(listener);
      if (isWorthwhile()) {
        queue.notifyAll();
      }
    }
  }

  private boolean isWorthwhile() {
    return queue.size() >= (gathering ? ENOUGH : 1);
  }

  /**
   * More is to come at once: a few changes are not begun with until {@link #gathered}, since all
   * that came later would have to wait for those few.
   */
  public void gather() {
    synchronized (queue) {
      gathering = true;
    }
  }

  /** That was all for now. */
  public void gathered() {
    synchronized (queue) {
      gathering = false;
      if (!queue.isEmpty()) {
        queue.notifyAll();
      }
    }
  }

  private static StateChange merge(StateChange earlier, StateChange later) {
    List<HistoryEntry> entries = new ArrayList<>(earlier.entries());
    entries.addAll(later.entries());
    return new StateChange(later.state(), entries);
  }

  /** How many jobs' changes wait. */
  public int waiting() {
    synchronized (queue) {
      return queue.size();
    }
  }

  /**
   * Commits one batch on the calling thread: what the committing thread does again and again, for
   * those who have no thread for it.
   *
   * @return how many jobs' changes it held
   */
  public int drain() {
    List<Waiting> batch = take();
    if (batch.isEmpty()) {
      return 0;
    }
    List<CommitResult> results =
        states.commit(batch.stream().map(waiting -> waiting.change).toList());
    RuntimeException thrown = null;
    for (int i = 0; i < results.size(); i++) {
      for (Consumer<? super CommitResult> listener : batch.get(i).listeners) {
        try {
          listener.accept(results.get(i));
        } catch (RuntimeException e) {
          thrown = e; // the others are told all the same
        }
      }
    }
    if (thrown != null) {
      throw thrown;
    }
    return batch.size();
  }

  private List<Waiting> take() {
    synchronized (queue) {
      List<Waiting> batch = new ArrayList<>(Math.min(BATCH, queue.size()));
      Iterator<Waiting> waiting = queue.values().iterator();
      while (batch.size() < BATCH && waiting.hasNext()) {
        batch.add(waiting.next());
        waiting.remove();
      }
      return batch;
    }
  }

  /** Starts the committing thread. */
  public void start() {
    synchronized (queue) {
      if (thread != null || closed) {
        throw new IllegalStateException("started or closed before");
      }
      thread = Thread.ofPlatform().name("kron-commit").daemon().start(this::run);
    }
  }

  private void run() {
    while (awaitWork()) {
      try {
        drain();
      } catch (RuntimeException e) {
        Thread self = Thread.currentThread();
        self.getUncaughtExceptionHandler().uncaughtException(self, e);
      }
    }
  }

  /**
   * @return false once it is closed and nothing waits any more
   */
  private boolean awaitWork() {
    synchronized (queue) {
      while (!isWorthwhile() && !closed) {
        try {
          queue.wait();
        } catch (InterruptedException e) {
          // Nobody interrupts this thread with a meaning; what waits must be written.
        }
      }
      return !queue.isEmpty();
    }
  }

  /** Takes no more changes, and returns when those that wait have been tried. */
  @Override
  public void close() {
    Thread committing;
    synchronized (queue) {
      closed = true;
      committing = thread;
      queue.notifyAll();
    }
    if (committing == null) {
      while (drain() > 0) {}
      return;
    }
    boolean interrupted = false;
    while (committing.isAlive()) {
      try {
        committing.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
