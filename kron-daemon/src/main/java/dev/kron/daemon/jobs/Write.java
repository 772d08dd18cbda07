package dev.kron.daemon.jobs;

import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEffect;
import dev.kron.job.JobEvent;
import dev.kron.job.JobMachine;
import dev.kron.job.JobState;
import dev.kron.job.Step;
import dev.kron.notice.Problems;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job's step on its way to the disk, with what may be done once it has arrived there.
 *
 * @param changes whether there is anything to write
 * @param events what led to it
 * @param problems what is to be told of the job, null: the same as before
 */
public record Write(
    Job job,
    JobState state,
    boolean changes,
    List<HistoryEntry> history,
    List<JobEffect> effects,
    List<Job.Waiting> events,
    @Nullable Problems problems) {
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
    List<String> settled = state.links().taken().stream().filter(job::isSettledLink).toList();
    if (changes && !settled.isEmpty()) {
      state = JobMachine.step(state, job.rules(), new JobEvent.LinksSettled(settled)).state();
    }
    return new Write(job, state, changes, history, effects, events, null);
  }

  /**
   * @param noticed what is to be told of the job from then on; null: the same as before
   */
  Write with(@Nullable Problems noticed) {
    return noticed == null ? this : new Write(job, state, true, history, effects, events, noticed);
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
    return !effects.isEmpty()
        || problems != null
        || events.stream().anyMatch(event -> event.reply() != null);
  }
}
