package dev.kron.daemon.jobs;

import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loop's way to the processes of jobs. No call waits: its result comes back as {@link
 * JobInput.Happened}, with the run it belongs to.
 */
public interface Runs {
  /** Starts a run whose intent is durable. Comes back as Launched or LaunchFailed, then Exited. */
  void launch(JobSpec spec, ActiveRun run);

  /**
   * Prepares a run whose second is near, so that {@link #launch} has less to do. Nothing of it
   * begins before that.
   */
  default void prepare(JobSpec spec, ActiveRun run) {}

  /**
   * How many more runs may be prepared.
   *
   * @param waiting how many are
   */
  default int room(int waiting) {
    return 0;
  }

  /** Drops a prepared run that is not to be launched. */
  default void discard(String runId) {}

  /**
   * Finds out what became of a run that was intended by an earlier daemon, or by this one before
   * its disk failed. The result is Launched (it goes on and is watched again), Exited, LaunchFailed
   * or NeverBegan.
   *
   * @param spec the job's entry in the files; null: none
   * @param lateSeconds how late the run was when the daemon was back
   */
  void recover(String identity, @Nullable JobSpec spec, ActiveRun run, long lateSeconds);

  /** The end of a run is on record, so the run need not be remembered. */
  default void settled(String runId) {}

  /**
   * Sends a signal to the process group of a run that is going on. Comes back as {@link
   * JobInput.Signalled} once that was tried.
   */
  void signal(String identity, String runId, int signal);

  /** Runs of which the end is not known, with the identities of their jobs. */
  default List<String> going() {
    return List.of();
  }

  /** Those of them that may still have a process. */
  default List<String> left() {
    return going();
  }

  /** Removes the directory of a run that the history no longer has. */
  void drop(String runId);

  /** Raises the alert for a failure. */
  void alert(String identity, @Nullable JobSpec spec, dev.kron.job.HistoryEntry entry);
}
