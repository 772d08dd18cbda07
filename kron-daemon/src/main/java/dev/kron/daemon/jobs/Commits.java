package dev.kron.daemon.jobs;

/** The loop's way to the disk. Nothing here waits: results come back as inputs. */
public interface Commits {
  /** Makes a step durable, together with others. Comes back as {@link JobInput.Committed}. */
  void commit(Write write);

  /**
   * Takes back a step that {@linkplain Write#lingers() lingers}. It has not happened then, and
   * never comes back.
   *
   * @return false if it is about to be written, or is
   */
  default boolean takeBack(Write write) {
    return false;
  }
}
