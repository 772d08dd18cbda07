package dev.kron.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a job. Times are epoch seconds, but {@code at} is in epoch
 * milliseconds.
 */
public sealed interface JobEvent {

  /**
   * A period that is not handled yet has become due.
   *
   * @param chosen {@code CronCalendar.NONE} where no second of the window was accepted
   * @param due the second at which it counts as passed
   * @param lateSeconds how late it was when the daemon came back, {@link #SEEN} where the daemon
   *     was there to see it become due
   * @param runId for the run, should there be one
   * @param bootPeriod the id of the period where that is a boot, otherwise null
   */
  record PeriodDue(
      long nominal,
      long chosen,
      long due,
      long lateSeconds,
      String runId,
      String bootId,
      long at,
      @Nullable String bootPeriod)
      implements JobEvent {
    /**
     * The value of {@code lateSeconds} for a period that became due while the daemon was there. No
     * deadline applies to it, however long the queue is.
     */
    public static final long SEEN = -1;

    /** A period of the calendar, not of a boot. */
    public PeriodDue(
        long nominal,
        long chosen,
        long due,
        long lateSeconds,
        String runId,
        String bootId,
        long at) {
      this(nominal, chosen, due, lateSeconds, runId, bootId, at, null);
    }
  }

  /**
   * The time of a waiting retry has come.
   *
   * @param due the second at which the retry was to begin
   * @param lateSeconds how late it is, as for a period
   * @param runId for the run, should there be one
   */
  record RetryDue(long due, long lateSeconds, String runId, String bootId, long at)
      implements JobEvent {}

  /**
   * A waiting retry is no longer wanted: its job was suspended, removed from its file, or has
   * another schedule.
   */
  record RetryDropped() implements JobEvent {}

  /**
   * A run of another job has succeeded, and this job follows it in a chain.
   *
   * @param owed what that job owes this one
   * @param by identity of the job that succeeded
   * @param runId derived from both jobs, so that it is the same however often the event is told
   */
  record LinkDue(Links.Owed owed, String by, String runId, String bootId, long at)
      implements JobEvent {}

  /** A link that this job owed was durably taken by the job that follows, or can no longer be. */
  record LinkPaid(Links.Owed owed) implements JobEvent {}

  /**
   * Links that will not be told again, so that the job need not remember them.
   *
   * @param runIds the ids of their runs
   */
  record LinksSettled(List<String> runIds) implements JobEvent {
    public LinksSettled {
      runIds = List.copyOf(runIds);
    }
  }

  /** An operator wants a run now, whatever the schedule says. */
  record RunRequested(String runId, String bootId, long at) implements JobEvent {}

  /**
   * A fleet has given this machine a run: a period, an attempt, or what an operator asked for.
   *
   * @param run the intent
   */
  record Claimed(ActiveRun run) implements JobEvent {}

  /**
   * A run that the job knows nothing of has ended: the job's state was lost since it began.
   *
   * @param entry as its directory tells it
   */
  record Found(HistoryEntry entry) implements JobEvent {}

  /** The keeper's process of a run became known. */
  record Launched(String runId, int pid, long startTicks) implements JobEvent {}

  /** A run could not be started; a check before its start found out. */
  record LaunchFailed(String runId, String stage, String reason, long at) implements JobEvent {}

  /**
   * A run ended.
   *
   * @param exitCode null if it is unknown; {@code reason} then says why
   * @param signal only where it is certain
   * @param cpuMillis the CPU time that it used; null if unknown
   */
  record Exited(
      String runId,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      @Nullable String reason,
      long at,
      @Nullable Long cpuMillis)
      implements JobEvent {
    /** An end of unknown CPU time. */
    public Exited(
        String runId,
        @Nullable Integer exitCode,
        @Nullable Integer signal,
        @Nullable String reason,
        long at) {
      this(runId, exitCode, signal, reason, at, null);
    }
  }

  /**
   * An intended run provably never began and never will: the daemon itself took its claim.
   *
   * @param lateSeconds as for a period
   * @param newRunId the id under which it may be started once more
   */
  record NeverBegan(String runId, long lateSeconds, String newRunId, String bootId, long at)
      implements JobEvent {}

  /** A run exceeded its timeout. */
  record TimedOut(String runId) implements JobEvent {}

  /** A run survived even KILL. */
  record Unendable(String runId, long at) implements JobEvent {}

  /**
   * A new daemon has found out what became of every run that began; the remaining ones wait or are
   * being ended. For a run that has waited since another boot this event comes first; otherwise the
   * end of the run that it waits for would start it.
   */
  record Recovered(String bootId, long at) implements JobEvent {}

  /** The daemon stops and ends its jobs. */
  record StopRequested(long at) implements JobEvent {}

  /**
   * An operator wants runs to end.
   *
   * @param runId null: all runs of the job
   * @param by the operator
   * @param signal the number of the first signal to send, 0 for the usual one
   */
  record EndRequested(@Nullable String runId, String by, int signal, long at) implements JobEvent {}

  record Suspended() implements JobEvent {}

  record Resumed() implements JobEvent {}

  /**
   * Only due times at or after {@code since} count from now on: the job is new, its schedule
   * changed, or its state was lost.
   *
   * @param lost whether the state was quarantined; a period whose window had begun by then does not
   *     count
   */
  record PastDropped(String fingerprint, long since, boolean lost) implements JobEvent {}

  /**
   * The operator releases periods that a clock far ahead has used up.
   *
   * @param nominal the last period that stays handled, {@code NONE} for none
   * @param outcome of that period
   * @param chosen of that period
   * @param begunAhead later periods that began all the same, and are never run again
   */
  record Released(
      long nominal,
      @Nullable Outcome outcome,
      long chosen,
      long since,
      long at,
      List<Long> begunAhead)
      implements JobEvent {
    public Released {
      begunAhead = List.copyOf(begunAhead);
    }

    /** A release under which no later period had begun. */
    public Released(long nominal, @Nullable Outcome outcome, long chosen, long since, long at) {
      this(nominal, outcome, chosen, since, at, List.of());
    }
  }
}
