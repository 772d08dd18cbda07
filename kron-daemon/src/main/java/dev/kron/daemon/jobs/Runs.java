package dev.kron.daemon.jobs;

import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loop's way to processes. Nothing here waits: what comes of a call comes back as {@link
 * JobInput.Happened} with the run it belongs to.
 */
public interface Runs {
  /** Starts a run whose intent is durable. Comes back as Launched or LaunchFailed, then Exited. */
  void launch(JobSpec spec, ActiveRun run);

  /**
   * Makes a run ready whose second is near, so that {@link #launch} has less to do. Nothing of it
   * begins before that.
   */
  default void prepare(JobSpec spec, ActiveRun run) {}

  /**
   * How many more runs may be made ready.
   *
   * @param waiting how many are
   */
  default int room(int waiting) {
    return 0;
  }

  /** Lets go of a run that was made ready and is not to be launched. */
  default void discard(String runId) {}

  /**
   * Finds out what became of a run that an earlier daemon, or this one before its disk failed, had
   * intended. Comes back as Launched (it goes on and is watched again), Exited, LaunchFailed or
   * NeverBegan.
   *
   * @param spec what the files say of the job now; null: nothing
   * @param lateSeconds how late the run was when the daemon was back
   */
  void recover(String identity, @Nullable JobSpec spec, ActiveRun run, long lateSeconds);

  /** The end of a run is on record: nothing of it need be remembered. */
  default void settled(String runId) {}

  /** Sends a signal to the process group of a run that is going on. */
  void signal(String identity, String runId, int signal);

  /** Runs of which the end is not known, with the identities of their jobs. */
  default List<String> going() {
    return List.of();
  }

  /** Those of them of which something may be there. */
  default List<String> left() {
    return going();
  }

  /** The history no longer holds this run: its directory may go. */
  void drop(String runId);

  /** Tells the operator's command of a failure. */
  void alert(String identity, @Nullable JobSpec spec, dev.kron.job.HistoryEntry entry);
}
