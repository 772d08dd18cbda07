package dev.kron.daemon.jobs;

import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEffect;
import dev.kron.job.JobState;
import java.util.List;

/**
 * A job's step on its way to the disk, with what may be done once it has arrived there.
 *
 * @param events what led to it
 */
public record Write(
    Job job,
    JobState state,
    List<HistoryEntry> history,
    List<JobEffect> effects,
    List<Job.Waiting> events) {
  /** Whether something is to happen once it is durable. */
  public boolean isAwaited() {
    return !effects.isEmpty() || events.stream().anyMatch(event -> event.reply() != null);
  }
}
