package dev.kron.daemon.jobs;

import dev.kron.job.JobState;

/** The loop's way to the disk. Nothing here waits: results come back as inputs. */
public interface Commits {
  /** Makes a step durable, together with others. Comes back as {@link JobInput.Committed}. */
  void commit(Write write);

  /**
   * Writes a step beforehand that a job will probably make soon, so that {@link #commit} has less
   * to do. Nothing of it counts before that.
   */
  default void expect(JobState state) {}

  /** Drops what was written beforehand for a job. */
  default void forgetExpected(String identity) {}
}
