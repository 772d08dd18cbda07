package dev.kron.job;

import dev.kron.cron.CronCalendar;
import java.util.Objects;
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
 * @param bootPeriod the id of its period where that is a boot, otherwise null
 * @param cpuMillis what it used of CPU time, null: nothing ran, or nobody knows
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
    @Nullable String cause,
    @Nullable String bootPeriod,
    @Nullable Long cpuMillis) {

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

  /** Starts the entry of a first attempt. */
  public static Builder builder(long nominal, Outcome outcome) {
    return new Builder(nominal, outcome);
  }

  /** The components by their names; what is not set is at its default. */
  public static final class Builder {
    private final long nominal;
    private final Outcome outcome;
    private long chosen = CronCalendar.NONE;
    private long startedAt;
    private long completedAt;
    private @Nullable Integer exitCode;
    private @Nullable Integer signal;
    private @Nullable Reason why;
    private @Nullable String stage;
    private @Nullable String runId;
    private @Nullable Boolean success;
    private int attempt = 1;
    private @Nullable String cause;
    private @Nullable String bootPeriod;
    private @Nullable Long cpuMillis;

    private Builder(long nominal, Outcome outcome) {
      this.nominal = nominal;
      this.outcome = outcome;
    }

    public Builder chosen(long chosen) {
      this.chosen = chosen;
      return this;
    }

    public Builder startedAt(long startedAt) {
      this.startedAt = startedAt;
      return this;
    }

    public Builder completedAt(long completedAt) {
      this.completedAt = completedAt;
      return this;
    }

    public Builder exitCode(@Nullable Integer exitCode) {
      this.exitCode = exitCode;
      return this;
    }

    public Builder signal(@Nullable Integer signal) {
      this.signal = signal;
      return this;
    }

    public Builder why(@Nullable Reason why) {
      this.why = why;
      return this;
    }

    public Builder stage(@Nullable String stage) {
      this.stage = stage;
      return this;
    }

    public Builder runId(@Nullable String runId) {
      this.runId = runId;
      return this;
    }

    /** Null: it succeeded if it is known to have ended 0 by itself. */
    public Builder success(@Nullable Boolean success) {
      this.success = success;
      return this;
    }

    public Builder attempt(int attempt) {
      this.attempt = attempt;
      return this;
    }

    public Builder cause(@Nullable String cause) {
      this.cause = cause;
      return this;
    }

    public Builder bootPeriod(@Nullable String bootPeriod) {
      this.bootPeriod = bootPeriod;
      return this;
    }

    public Builder cpuMillis(@Nullable Long cpuMillis) {
      this.cpuMillis = cpuMillis;
      return this;
    }

    public HistoryEntry build() {
      return new HistoryEntry(
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
          success == null ? endedWell() : success,
          attempt,
          cause,
          bootPeriod,
          cpuMillis);
    }

    private boolean endedWell() {
      return outcome == Outcome.EXECUTED && Objects.equals(exitCode, 0) && !wasEnded(why);
    }
  }
}
