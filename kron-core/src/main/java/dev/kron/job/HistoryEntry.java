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
 * @param success whether it ended as its job's file wanted it to at that time
 * @param attempt which attempt of its period it was, from 1
 * @param cause the run whose success caused it, null where its period or an operator did
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
    @Nullable String runId,
    boolean success,
    int attempt,
    @Nullable String cause) {

  /** A first attempt that succeeded if it is known to have ended 0 by itself. */
  public HistoryEntry(
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
    this(
        nominal,
        outcome,
        chosen,
        startedAt,
        completedAt,
        exitCode,
        signal,
        why,
        stage,
        runId,
        outcome == Outcome.EXECUTED && exitCode != null && exitCode == 0 && !wasEnded(why),
        1,
        null);
  }

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

  /** Whether the daemon ended the run, for whatever reason. */
  static boolean wasEnded(@Nullable Reason why) {
    return why != null
        && switch (why.cause()) {
          case TIMED_OUT, REPLACED, STOPPED, STOPPED_BY_OPERATOR -> true;
          case LATE,
              STILL_ACTIVE,
              UNENDABLE,
              RESTARTED,
              NO_CANDIDATE,
              NOT_STARTED,
              SUSPENDED,
              RELEASED,
              UNKNOWN ->
              false;
        };
  }

  /**
   * Whether it went wrong: anything but a skip, a success, a run that an operator stopped, or one
   * that gave way to another. A command that answers its timeout's TERM by exiting 0 has failed all
   * the same.
   */
  public boolean failed() {
    boolean gaveWay = why != null && why.cause() == Reason.Cause.REPLACED;
    return switch (outcome) {
      case EXECUTED -> !success && !stopped() && !gaveWay;
      case MISSED -> !gaveWay;
      case UNSCHEDULABLE -> true;
      case SKIPPED -> false;
    };
  }

  /**
   * Whether it is certain that it failed by itself: by its exit code, a signal, its timeout, or a
   * start that was not possible. Only then it is tried again.
   */
  boolean failedForCertain() {
    boolean ended = wasEnded(why) && !timedOut();
    return outcome == Outcome.EXECUTED && !success && !ended && (exitCode != null || stage != null);
  }
}
