package dev.kron.job;

import dev.kron.cron.CronCalendar;
import org.jspecify.annotations.Nullable;

/**
 * A run that is intended, active, or waiting for the run that it replaces. Its period counts as
 * handled.
 *
 * @param runId never used twice; names the run's directory
 * @param nominal the period's nominal second, {@code CronCalendar.NONE} for a manual run
 * @param chosen the second chosen for it; for a manual run the second it was asked for
 * @param due the second it was due (never before {@code chosen})
 * @param phase how far it has come
 * @param ending why it is being ended, or null
 * @param bootId the boot in which the intent was written; only within that boot can a run be proved
 *     never to have begun
 * @param pid the keeper's process, 0 until it is known
 * @param startTicks the kernel's start time of {@code pid} (clock ticks since boot), 0 until known
 * @param startedAt epoch millisecond of the intent; while the run waits, of the decision to run
 * @param endedBy the operator who wants it to end, or null
 * @param attempt which attempt of its period it is, from 1
 * @param cause the run whose success caused it; null: its period or an operator did
 * @param bootPeriod the id of its period where that is a boot, otherwise null
 * @param outdated whether the job's schedule has changed since the intent; then a failure is not
 *     tried again
 */
public record ActiveRun(
    String runId,
    long nominal,
    long chosen,
    long due,
    Phase phase,
    @Nullable Ending ending,
    String bootId,
    int pid,
    long startTicks,
    long startedAt,
    @Nullable String endedBy,
    int attempt,
    @Nullable String cause,
    @Nullable String bootPeriod,
    boolean outdated) {

  /** How far a run has come, as far as is durable. */
  public enum Phase {
    /** The run waits until the runs that it replaces have ended. */
    WAITING,
    /** The run is about to be started. From here on only its claim file tells whether it began. */
    INTENDED,
    /** The run is known to have begun. */
    STARTED
  }

  /** Why a run is ended by the daemon. */
  public enum Ending {
    TIMED_OUT,
    REPLACED,
    STOPPED
  }

  /** Whether an operator asked for the run, rather than the schedule or a chain. */
  public boolean manual() {
    return nominal == CronCalendar.NONE && cause == null;
  }

  ActiveRun withPhase(Phase phase) {
    return toBuilder().phase(phase).build();
  }

  /** The same run with nothing left to wait for, about to be started. */
  ActiveRun intended(long at) {
    return toBuilder().phase(Phase.INTENDED).startedAt(at).build();
  }

  ActiveRun withEnding(Ending ending, @Nullable String by) {
    return toBuilder().ending(ending).endedBy(by).build();
  }

  ActiveRun started(int pid, long startTicks) {
    return toBuilder().phase(Phase.STARTED).pid(pid).startTicks(startTicks).build();
  }

  /** The same run under a new id, because the first start provably never began. */
  ActiveRun again(String runId, String bootId, long at) {
    return builder(runId)
        .nominal(nominal)
        .chosen(chosen)
        .due(due)
        .bootId(bootId)
        .startedAt(at)
        .attempt(attempt)
        .cause(cause)
        .bootPeriod(bootPeriod)
        .outdated(outdated)
        .build();
  }

  /** The same run of a job that has another schedule now. */
  ActiveRun underAnotherSchedule() {
    return toBuilder().outdated(true).build();
  }

  /** Starts a builder of an intended first attempt; it belongs to no period until one is set. */
  public static Builder builder(String runId) {
    return new Builder(runId);
  }

  /** A builder that starts from this run. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** A builder of runs; components that are not set keep their defaults. */
  public static final class Builder {
    private final String runId;
    private long nominal = CronCalendar.NONE;
    private long chosen;
    private long due;
    private Phase phase = Phase.INTENDED;
    private @Nullable Ending ending;
    private String bootId = "";
    private int pid;
    private long startTicks;
    private long startedAt;
    private @Nullable String endedBy;
    private int attempt = 1;
    private @Nullable String cause;
    private @Nullable String bootPeriod;
    private boolean outdated;

    private Builder(String runId) {
      this.runId = runId;
    }

    private Builder(ActiveRun other) {
      runId = other.runId;
      nominal = other.nominal;
      chosen = other.chosen;
      due = other.due;
      phase = other.phase;
      ending = other.ending;
      bootId = other.bootId;
      pid = other.pid;
      startTicks = other.startTicks;
      startedAt = other.startedAt;
      endedBy = other.endedBy;
      attempt = other.attempt;
      cause = other.cause;
      bootPeriod = other.bootPeriod;
      outdated = other.outdated;
    }

    public Builder nominal(long nominal) {
      this.nominal = nominal;
      return this;
    }

    public Builder chosen(long chosen) {
      this.chosen = chosen;
      return this;
    }

    public Builder due(long due) {
      this.due = due;
      return this;
    }

    public Builder phase(Phase phase) {
      this.phase = phase;
      return this;
    }

    public Builder ending(@Nullable Ending ending) {
      this.ending = ending;
      return this;
    }

    public Builder bootId(String bootId) {
      this.bootId = bootId;
      return this;
    }

    public Builder pid(int pid) {
      this.pid = pid;
      return this;
    }

    public Builder startTicks(long startTicks) {
      this.startTicks = startTicks;
      return this;
    }

    public Builder startedAt(long startedAt) {
      this.startedAt = startedAt;
      return this;
    }

    public Builder endedBy(@Nullable String endedBy) {
      this.endedBy = endedBy;
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

    public Builder outdated(boolean outdated) {
      this.outdated = outdated;
      return this;
    }

    public ActiveRun build() {
      return new ActiveRun(
          runId,
          nominal,
          chosen,
          due,
          phase,
          ending,
          bootId,
          pid,
          startTicks,
          startedAt,
          endedBy,
          attempt,
          cause,
          bootPeriod,
          outdated);
    }
  }
}
