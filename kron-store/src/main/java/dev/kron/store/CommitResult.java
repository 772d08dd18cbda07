package dev.kron.store;

import java.util.List;

/** The outcome of writing one job's state. */
public sealed interface CommitResult {
  /**
   * The state is durable.
   *
   * @param droppedRuns ids of runs whose history entries had to go for new ones; their output need
   *     not be kept any longer
   */
  record Durable(List<String> droppedRuns) implements CommitResult {
    public Durable {
      droppedRuns = List.copyOf(droppedRuns);
    }
  }

  /**
   * The state is not durable, and nothing may rely on it. Committing the same or a later state
   * again with the same entries is safe and adds no entry twice.
   *
   * @param visible whether the new state may be read back already; it may or may not survive a loss
   *     of power
   */
  record Failed(DiskException cause, boolean visible) implements CommitResult {}
}
