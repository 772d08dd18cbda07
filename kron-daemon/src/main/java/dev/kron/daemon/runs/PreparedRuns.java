package dev.kron.daemon.runs;

import dev.kron.daemon.loop.Errands;
import dev.kron.process.Prepared;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Runs whose keepers are prepared and wait; each is started or discarded, once. */
public final class PreparedRuns {
  private final Processes processes;
  private final RunDirectories directories;
  private final Errands errands;
  private final Preparing workers;
  private final Map<String, Task> prepared = new ConcurrentHashMap<>();

  /** A way to run the preparation for a user's run on a thread. */
  public interface Preparing {
    void execute(String user, Runnable task);
  }

  /**
   * An empty set.
   *
   * @param workers where runs are prepared
   */
  public PreparedRuns(
      Processes processes, RunDirectories directories, Errands errands, Preparing workers) {
    this.errands = errands;
    this.processes = processes;
    this.directories = directories;
    this.workers = workers;
  }

  /** Work that is done once, by the first caller, or never. */
  public static final class Task {
    private final FutureTask<Prepared> work;
    private final AtomicBoolean begun = new AtomicBoolean();

    private Task(Callable<Prepared> work) {
      this.work = new FutureTask<>(work);
    }

    private boolean begin() {
      return begun.compareAndSet(false, true);
    }
  }

  /**
   * Prepares a run.
   *
   * @param work prepares it; what it throws is reported when the run is started in the ordinary way
   */
  public void add(String runId, String user, Callable<Prepared> work) {
    var task = new Task(work);
    prepared.put(runId, task);
    workers.execute(
        user,
        () -> {
          if (task.begin()) {
            task.work.run(); // keeps what it throws
          }
        });
  }

  /** Takes a run, which the caller then starts; null if it was not prepared. */
  public @Nullable Task take(String runId) {
    return prepared.remove(runId);
  }

  /**
   * Waits for a prepared run; null if it has to be started in the ordinary way, because it was not
   * ready in time or cannot be prepared.
   */
  public static @Nullable Prepared await(Task taken) {
    if (taken.begin()) {
      return null;
    }
    try {
      return taken.work.get();
    } catch (ExecutionException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** Discards a waiting keeper; what became of its run is read from its directory. */
  public void dismiss(String runId) {
    Task task = prepared.remove(runId);
    if (task != null && !task.begin()) {
      errands.execute(Errands.Place.DISCARD_RUN, () -> dismiss(task), thrown -> dismiss(task));
    }
  }

  private static void dismiss(Task task) {
    try {
      task.work.get().discard();
    } catch (ExecutionException e) {
      // There is no keeper to discard.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Discards a run that will not begin, with its directory. */
  public void discard(Run run) {
    Task task = prepared.remove(run.id());
    if (task != null && !task.begin()) {
      errands.execute(
          Errands.Place.DISCARD_RUN, () -> discard(run, task), thrown -> discard(run, task));
    }
  }

  private void discard(Run run, Task task) {
    try {
      task.work.get().discard();
      processes.forestall(run);
      directories.remove(run.id());
    } catch (ExecutionException | IOException e) {
      // There is no keeper to discard; the next sweep removes the directory.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
