package dev.kron.daemon.jobs;

/** The loop's way to the disk. Nothing here waits: results come back as inputs. */
public interface Commits {
  /** Makes a step durable, together with others. Comes back as {@link JobInput.Committed}. */
  void commit(Write write);
}
