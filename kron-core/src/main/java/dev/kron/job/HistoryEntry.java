package dev.kron.job;

import org.jspecify.annotations.Nullable;

/**
 * A line of a job's history.
 *
 * @param nominal {@code CronCalendar.NONE} for a manual run
 * @param chosen {@code CronCalendar.NONE} where unschedulable
 * @param startedAt epoch millisecond, 0 where nothing started
 * @param completedAt epoch millisecond
 * @param exitCode null where nothing ran or nothing is known
 * @param signal the signal that ended it, where that is known
 * @param why why it was skipped, missed, unknown, timed out, replaced; null for a plain end
 * @param stage at which a start failed: user, group, cwd, exec …
 * @param runId null where nothing was started
 */
public record HistoryEntry(
    long nominal,
    Outcome outcome,
    long chosen,
    long startedAt,
    long completedAt,
    @Nullable Integer exitCode,
    @Nullable Integer signal,
    @Nullable Reason why,
    @Nullable String stage,
    @Nullable String runId) {

  /** The reason as a sentence for people. */
  public @Nullable String reason() {
    return why == null ? null : why.text();
  }

  /** Whether an operator wanted it to end. */
  public boolean stopped() {
    return why != null && why.cause() == Reason.Cause.STOPPED_BY_OPERATOR;
  }

  /** Whether the run was ended because it had used up its time, whatever its exit code says. */
  public boolean timedOut() {
    return why != null && why.cause() == Reason.Cause.TIMED_OUT;
  }

  /**
   * Whether somebody should be told: anything but a skip, a run that an operator stopped, or one
   * that is known to have ended 0 by itself. A command that answers its timeout's TERM by exiting 0
   * has failed all the same.
   */
  public boolean failed() {
    return switch (outcome) {
      case EXECUTED -> !stopped() && (exitCode == null || exitCode != 0 || timedOut());
      case MISSED, UNSCHEDULABLE -> true;
      case SKIPPED -> false;
    };
  }
}
