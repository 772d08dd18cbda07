package dev.kron.store;

import dev.kron.job.HistoryEntry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue between the daemon's loop and the disk. It takes state changes without ever blocking
 * the loop, and commits together what has gathered meanwhile. Changes of one job are committed in
 * the order of their submission; several that wait together become one write of the last state with
 * the entries of all. So at most one change per job waits, which bounds the queue. Beginnings and
 * ends of runs, which stand in the run's directory anyway, give way to the intents of other runs.
 *
 * <p>Design: both queues are maps in order of arrival. One thread takes a batch, commits it, and
 * reports each result before it takes the next, so a later change of a job can never overtake an
 * earlier one. A batch is small enough that the first of a thousand intents is durable long before
 * the last, and large enough that they share the directory's fsync.
 */
public final class GroupCommit implements AutoCloseable {
  private static final int BATCH = 128;

  /** The number of changes that make a batch worth an fsync even if more are about to come. */
  private static final int ENOUGH = 32;

  private final JobStates states;
  private final Object lock = new Object();

  /** Changes on which something waits; they go first. */
  private final Map<String, Waiting> urgent = new LinkedHashMap<>();

  /** Changes that only have to be recorded. */
  private final Map<String, Waiting> patient = new LinkedHashMap<>();

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
   * Submits a change; never blocks.
   *
   * @param awaited whether something happens once the change is durable; such changes go before the
   *     others
   * @param listener called once, on the committing thread, with the result
   */
  public void submit(StateChange change, boolean awaited, Consumer<? super CommitResult> listener) {
    synchronized (lock) {
      if (closed) {
        throw new IllegalStateException("closed: no state is written any more");
      }
      Waiting waiting = waiting(change, awaited);
      waiting.listeners.add(listener);
      if (isWorthwhile()) {
        lock.notifyAll();
      }
    }
  }

  private Waiting waiting(StateChange change, boolean awaited) {
    String identity = change.state().identity();
    Waiting before = urgent.get(identity);
    if (before == null) {
      before = awaited ? patient.remove(identity) : patient.get(identity);
    }
    Waiting waiting = before == null ? new Waiting(change) : before;
    if (before != null) {
      waiting.change = merge(before.change, change);
    }
    if (!urgent.containsKey(identity)) {
      (awaited ? urgent : patient).put(identity, waiting);
    }
    return waiting;
  }

  private boolean isWorthwhile() {
    return size() >= (gathering ? ENOUGH : 1);
  }

  private int size() {
    return urgent.size() + patient.size();
  }

  /**
   * Announces that more changes follow at once. Until {@link #gathered} a few changes alone do not
   * start a commit, since all later ones would have to wait for it.
   */
  public void gather() {
    synchronized (lock) {
      gathering = true;
    }
  }

  /** Ends what {@link #gather} began. */
  public void gathered() {
    synchronized (lock) {
      gathering = false;
      if (size() > 0) {
        lock.notifyAll();
      }
    }
  }

  private static StateChange merge(StateChange earlier, StateChange later) {
    List<HistoryEntry> entries = new ArrayList<>(earlier.entries());
    entries.addAll(later.entries());
    String notices = later.notices() == null ? earlier.notices() : later.notices();
    return new StateChange(later.state(), entries, notices);
  }

  /** The number of jobs whose changes wait. */
  public int waiting() {
    synchronized (lock) {
      return size();
    }
  }

  /**
   * Commits one batch on the calling thread, as the committing thread does repeatedly; for callers
   * without such a thread.
   *
   * @return the number of jobs whose changes were in it
   */
  public int drain() {
    List<Waiting> batch = take();
    if (batch.isEmpty()) {
      return 0;
    }
    Throwable thrown = null;
    List<CommitResult> results;
    try {
      results = states.commit(batch.stream().map(waiting -> waiting.change).toList());
    } catch (RuntimeException | Error e) {
      thrown = e;
      results = unknown(batch.size(), e);
    }
    for (int i = 0; i < batch.size(); i++) {
      for (Consumer<? super CommitResult> listener : batch.get(i).listeners) {
        try {
          listener.accept(results.get(i));
        } catch (RuntimeException | Error e) {
          thrown = e; // the others are told all the same
        }
      }
    }
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    return batch.size();
  }

  /**
   * The results after an unexpected exception: nothing may rely on the write, and all of it may be
   * on disk.
   */
  private static List<CommitResult> unknown(int count, Throwable thrown) {
    var cause =
        new DiskException(
            "commit",
            Path.of("state"),
            DiskException.Reason.OTHER,
            "an error of the daemon itself: " + thrown);
    return Collections.nCopies(count, new CommitResult.Failed(cause, true));
  }

  private List<Waiting> take() {
    synchronized (lock) {
      List<Waiting> batch = new ArrayList<>(Math.min(BATCH, size()));
      take(urgent, batch);
      take(patient, batch);
      return batch;
    }
  }

  private static void take(Map<String, Waiting> queue, List<Waiting> batch) {
    Iterator<Waiting> waiting = queue.values().iterator();
    while (batch.size() < BATCH && waiting.hasNext()) {
      batch.add(waiting.next());
      waiting.remove();
    }
  }

  /** Starts the committing thread. */
  public void start() {
    synchronized (lock) {
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
      } catch (RuntimeException | Error e) {
        Thread self = Thread.currentThread();
        self.getUncaughtExceptionHandler().uncaughtException(self, e);
      }
    }
  }

  /**
   * Waits for changes.
   *
   * @return false once the queue is closed and empty
   */
  private boolean awaitWork() {
    synchronized (lock) {
      while (!isWorthwhile() && !closed) {
        try {
          lock.wait();
        } catch (InterruptedException e) {
          // An interrupt has no meaning for this thread; the changes must be written.
        }
      }
      return size() > 0;
    }
  }

  /** Refuses further changes, and returns once the waiting ones have been tried. */
  @Override
  public void close() {
    Thread committing;
    synchronized (lock) {
      closed = true;
      committing = thread;
      lock.notifyAll();
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
