package dev.kron.daemon.jobs;

import dev.kron.daemon.runs.KnownRun;
import dev.kron.daemon.runs.RunNote;
import org.jspecify.annotations.Nullable;

/** A run of a job that has not ended, as far as is known. */
final class JobRun extends KnownRun {
  final String identity;
  final @Nullable RunNote note;
  final long lateSeconds;

  /**
   * @param note what the job's file says, for a run whose own note is lost
   * @param lateSeconds how late the run was when the daemon was back
   */
  JobRun(String identity, @Nullable RunNote note, long lateSeconds) {
    this.identity = identity;
    this.note = note;
    this.lateSeconds = lateSeconds;
  }
}
