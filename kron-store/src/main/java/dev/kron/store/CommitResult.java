package dev.kron.store;

import java.util.List;

/** The outcome of writing one job's state. */
public sealed interface CommitResult {
  /**
   * On disk for good.
   *
   * @param droppedRuns ids of the runs whose history entries made room for new ones: their output
   *     need not be kept any longer
   */
  record Durable(List<String> droppedRuns) implements CommitResult {
    public Durable {
      droppedRuns = List.copyOf(droppedRuns);
    }
  }

  /**
   * Not durable: nothing may be done that relies on it. Committing the same or a later state again,
   * with the same entries, is safe and adds no entry twice.
   *
   * @param visible the new state may already be read back, and may or may not survive a loss of
   *     power
   */
  record Failed(DiskException cause, boolean visible) implements CommitResult {}
}
