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
 * A job's step on its way to the disk, with the effects that may begin once it is durable.
 *
 * @param changes whether there is anything to write
 * @param events the events that caused it
 * @param problems the notices of the job; null: the same as before
 */
public record Write(
    Job job,
    JobState state,
    boolean changes,
    List<HistoryEntry> history,
    List<JobEffect> effects,
    List<Job.Waiting> events,
    @Nullable Problems problems) {
  /** The step that all waiting events of a job mean together. */
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
   * @param noticed the notices of the job from then on; null: the same as before
   */
  Write with(@Nullable Problems noticed) {
    return noticed == null ? this : new Write(job, state, true, history, effects, events, noticed);
  }

  /**
   * The final failures of this step: of a last attempt, or of one that is not repeated any more. A
   * failure is not final while another attempt waits.
   */
  public List<HistoryEntry> failures() {
    return effects.stream()
        .filter(JobEffect.Alert.class::isInstance)
        .map(effect -> ((JobEffect.Alert) effect).entry())
        .toList();
  }

  /** Whether something has to happen once the step is durable. */
  public boolean isAwaited() {
    return !effects.isEmpty()
        || problems != null
        || events.stream().anyMatch(event -> event.reply() != null);
  }
}
