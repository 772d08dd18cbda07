package dev.kron.daemon.jobs;

import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEffect;
import dev.kron.job.JobMachine;
import dev.kron.job.JobState;
import dev.kron.job.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * A job's step on its way to the disk, with what may be done once it has arrived there.
 *
 * @param changes whether there is anything to write
 * @param events what led to it
 */
public record Write(
    Job job,
    JobState state,
    boolean changes,
    List<HistoryEntry> history,
    List<JobEffect> effects,
    List<Job.Waiting> events) {
  /** What all that has waited for this job means, taken together. */
  static Write of(Job job, Job.Moving moving) {
    JobState state = job.state;
    boolean changes = false;
    var history = new ArrayList<HistoryEntry>(2);
    var effects = new ArrayList<JobEffect>(2);
    var events = new ArrayList<Job.Waiting>(2);
    for (Job.Waiting next = moving.waiting.poll(); next != null; next = moving.waiting.poll()) {
      Step step = JobMachine.step(state, job.rules(), next.event());
      state = step.state();
      changes |= step.changed();
      history.addAll(step.history());
      effects.addAll(step.effects());
      events.add(next);
    }
    return new Write(job, state, changes, history, effects, events);
  }

  /**
   * The failures that are final with this step: of a last attempt, or of one that is not repeated
   * any more. A failure after which another attempt waits is none of them.
   */
  public List<HistoryEntry> failures() {
    return effects.stream()
        .filter(JobEffect.Alert.class::isInstance)
        .map(effect -> ((JobEffect.Alert) effect).entry())
        .toList();
  }

  /** Whether something is to happen once it is durable. */
  public boolean isAwaited() {
    return !effects.isEmpty() || events.stream().anyMatch(event -> event.reply() != null);
  }
}
