package dev.kron.job;

import java.util.List;

/**
 * The result of an event: the state to make durable, the history entries to append with it, and the
 * effects to perform after that.
 *
 * @param changed false if there is nothing to write and nothing to do
 */
public record Step(
    JobState state, List<HistoryEntry> history, List<JobEffect> effects, boolean changed) {
  public Step {
    history = List.copyOf(history);
    effects = List.copyOf(effects);
  }

  static Step unchanged(JobState state) {
    return new Step(state, List.of(), List.of(), false);
  }
}
