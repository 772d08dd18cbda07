package dev.kron.job;

import dev.kron.cron.CronCalendar;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a job's history.
 *
 * @param nominal {@code CronCalendar.NONE} for a manual run
 * @param chosen {@code CronCalendar.NONE} where unschedulable
 * @param startedAt epoch millisecond, 0 where nothing started
 * @param completedAt epoch millisecond
 * @param exitCode null where nothing ran or nothing is known
 * @param signal the signal that ended it, where that is known
 * @param why the reason why it was skipped, missed, unknown, timed out or replaced; null for an
 *     ordinary end
 * @param stage the stage at which a start failed: user, group, cwd, exec …
 * @param runId null where nothing was started
 * @param success whether the run ended as the job's file wanted at that time
 * @param attempt the number of the attempt within its period, from 1
 * @param cause the run whose success caused this one; null if its period or an operator did
 * @param bootPeriod the id of its period where that is a boot, otherwise null
 * @param cpuMillis the CPU time that it used; null if nothing ran or nobody knows
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

  /** Whether an operator ended the run. */
  public boolean stopped() {
    return why != null && why.cause() == Reason.Cause.STOPPED_BY_OPERATOR;
  }

  /** Whether the run was ended by its timeout, whatever its exit code says. */
  public boolean timedOut() {
    return why != null && why.cause() == Reason.Cause.TIMED_OUT;
  }

  /** Whether the daemon ended the run, for any reason. */
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
   * Whether this entry is a failure. A skip, a success, a run that an operator stopped and a
   * replaced run are none. A command that exits 0 after its timeout's TERM has failed.
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
   * Whether the run certainly failed by itself: by its exit code, a signal, its timeout, or a start
   * that was not possible. Only such runs are retried.
   */
  public boolean failedForCertain() {
    boolean ended = wasEnded(why) && !timedOut();
    return outcome == Outcome.EXECUTED && !success && !ended && (exitCode != null || stage != null);
  }

  /** Starts a builder of the entry of a first attempt. */
  public static Builder builder(long nominal, Outcome outcome) {
    return new Builder(nominal, outcome);
  }

  /** A builder of entries; components that are not set keep their defaults. */
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

    /** Sets whether the run succeeded; null: it did if it is known to have exited 0 by itself. */
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
