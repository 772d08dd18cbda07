package dev.kron.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that happened to a job. Seconds are epoch seconds, {@code at} is an epoch milli. */
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
    /** The daemon was waiting for this period: no deadline applies, however long the queue is. */
    public static final long SEEN = -1;

    /** A period by the calendar. */
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
   * The time of an attempt that waits has come.
   *
   * @param due the second at which it was to begin
   * @param lateSeconds how late that is, as for a period
   * @param runId for the run, should there be one
   */
  record RetryDue(long due, long lateSeconds, String runId, String bootId, long at)
      implements JobEvent {}

  /**
   * An attempt that waits is not wanted any more: its job was suspended or taken out of its file,
   * or has another schedule.
   */
  record RetryDropped() implements JobEvent {}

  /**
   * A run of another job has succeeded, and this one follows it.
   *
   * @param owed what that job owes this one
   * @param by identity of that job
   * @param runId derived from both, the same whenever it is told
   */
  record LinkDue(Links.Owed owed, String by, String runId, String bootId, long at)
      implements JobEvent {}

  /** What this job owed was taken by the one that follows, durably, or can be no more. */
  record LinkPaid(Links.Owed owed) implements JobEvent {}

  /**
   * Links are not told again, so that they need not be remembered.
   *
   * @param runIds of their runs
   */
  record LinksSettled(List<String> runIds) implements JobEvent {
    public LinksSettled {
      runIds = List.copyOf(runIds);
    }
  }

  /** The operator wants a run now, whatever the schedule says. */
  record RunRequested(String runId, String bootId, long at) implements JobEvent {}

  /** The keeper of a run is known. */
  record Launched(String runId, int pid, long startTicks) implements JobEvent {}

  /** A run could not be started: checked before it began. */
  record LaunchFailed(String runId, String stage, String reason, long at) implements JobEvent {}

  /**
   * A run ended.
   *
   * @param exitCode null: nothing is known of how, and {@code reason} says why
   * @param signal only where it is certain
   * @param cpuMillis what it used of CPU time, null: nobody knows
   */
  record Exited(
      String runId,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      @Nullable String reason,
      long at,
      @Nullable Long cpuMillis)
      implements JobEvent {
    /** Nothing is known of what it used. */
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
   * The claim of an intended run was taken by the daemon itself: it provably never began and never
   * will.
   *
   * @param lateSeconds as for a period
   * @param newRunId under which it may be started once
   */
  record NeverBegan(String runId, long lateSeconds, String newRunId, String bootId, long at)
      implements JobEvent {}

  /** A run has used up its time. */
  record TimedOut(String runId) implements JobEvent {}

  /** Not even KILL ended a run. */
  record Unendable(String runId, long at) implements JobEvent {}

  /**
   * A new daemon has settled every run that began; what is left waits or is being ended. Where a
   * run waits since another boot this is told first, or the end of the run it waits for would let
   * it begin.
   */
  record Recovered(String bootId, long at) implements JobEvent {}

  /** The daemon stops and takes its jobs with it. */
  record StopRequested(long at) implements JobEvent {}

  /**
   * The operator wants runs to end.
   *
   * @param runId null: all runs of the job
   * @param by who wants it
   * @param signal the number of the signal to begin with, 0: the usual one
   */
  record EndRequested(@Nullable String runId, String by, int signal, long at) implements JobEvent {}

  record Suspended() implements JobEvent {}

  record Resumed() implements JobEvent {}

  /**
   * From now on only due times at or after {@code since} count: the job is new, its schedule has
   * changed, or its state was lost.
   *
   * @param lost the state was quarantined: a period whose window had begun by then does not count
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

    /** Nothing began ahead of its time. */
    public Released(long nominal, @Nullable Outcome outcome, long chosen, long since, long at) {
      this(nominal, outcome, chosen, since, at, List.of());
    }
  }
}
