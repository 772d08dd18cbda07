package dev.kron.job;

import java.util.List;

/**
 * The meaning of an event: the state to make durable, the history to append with it, and what to do
 * after that.
 *
 * @param changed false: nothing to write, nothing to do
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
