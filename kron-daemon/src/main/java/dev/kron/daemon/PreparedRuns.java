package dev.kron.daemon;

import dev.kron.process.Prepared;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** Runs whose keepers wait for a word; each is started or let go, once. */
final class PreparedRuns {
  private final Processes processes;
  private final RunDirectories directories;
  private final Background workers;
  private final Map<String, FutureTask<Prepared>> prepared = new ConcurrentHashMap<>();

  PreparedRuns(Processes processes, RunDirectories directories, Background workers) {
    this.processes = processes;
    this.directories = directories;
    this.workers = workers;
  }

  /**
   * @param work what it throws is said when the run is started in the ordinary way
   */
  void add(String runId, Callable<Prepared> work) {
    var task = new FutureTask<>(work);
    prepared.put(runId, task);
    workers.ahead(
        () -> {
          if (prepared.containsKey(runId)) {
            task.run();
          }
        });
  }

  /** From here on it is the caller's to start; null where it was not made ready. */
  @Nullable FutureTask<Prepared> take(String runId) {
    return prepared.remove(runId);
  }

  /** Null where it has to be started in the ordinary way. */
  static @Nullable Prepared await(FutureTask<Prepared> taken) {
    taken.run(); // does nothing if somebody has begun to
    try {
      return taken.get();
    } catch (ExecutionException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** Lets go of a run that will not begin. */
  void discard(Run run) {
    FutureTask<Prepared> task = prepared.remove(run.id());
    if (task != null) {
      workers.ahead(() -> discard(run, task));
    }
  }

  private void discard(Run run, FutureTask<Prepared> task) {
    if (task.cancel(false)) {
      return; // had not begun
    }
    try {
      task.get().discard();
      processes.forestall(run);
      directories.remove(run.id());
    } catch (ExecutionException | DiskException | UncheckedIOException e) {
      // Nothing waits; what is left of its directory stays for the next sweep.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
