package dev.kron.store;

import dev.kron.cron.CronCalendar;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job's next state, and the entries that it adds to the history. It refuses values that could be
 * written but not read back.
 *
 * @param entries oldest first
 * @param notices the job's notification state as JSON; null keeps the present one, empty clears it
 */
public record StateChange(JobState state, List<HistoryEntry> entries, @Nullable String notices) {
  /** A change that keeps the notification state. */
  public StateChange(JobState state, List<HistoryEntry> entries) {
    this(state, entries, null);
  }

  public StateChange {
    entries = List.copyOf(entries);
    if ((state.lastOutcome() == null) != (state.lastHandled() == CronCalendar.NONE)) {
      throw new IllegalArgumentException(
          "an outcome belongs to a handled period and to nothing else: " + state);
    }
    if (!Arrival.isFingerprint(state.fingerprint())) {
      throw new IllegalArgumentException("not a fingerprint: '" + state.fingerprint() + "'");
    }
    Timestamps.requireSecond(state.lastHandled());
    Timestamps.requireSecond(state.lastChosen());
    Timestamps.requireSecond(state.since());
    state.begunAhead().forEach(Timestamps::requireSecond);
    for (var run : state.active()) {
      Timestamps.requireSecond(run.nominal());
      Timestamps.requireSecond(run.chosen());
      Timestamps.requireSecond(run.due());
      Timestamps.requireMillis(run.startedAt());
      if ((run.runId().isEmpty() && run.manual()) || run.pid() < 0 || run.startTicks() < 0) {
        throw new IllegalArgumentException("not a run that can be told from others: " + run);
      }
    }
    if (state.retry() != null) {
      Timestamps.requireMillis(state.retry().notBefore());
    }
    for (HistoryEntry entry : entries) {
      Timestamps.requireSecond(entry.nominal());
      Timestamps.requireSecond(entry.chosen());
      Timestamps.requireMillis(entry.startedAt());
      Timestamps.requireMillis(entry.completedAt());
    }
  }
}
