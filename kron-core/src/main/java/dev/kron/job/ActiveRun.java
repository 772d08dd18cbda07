package dev.kron.job;

import dev.kron.cron.CronCalendar;
import org.jspecify.annotations.Nullable;

/**
 * A run that is intended, going on, or waiting for the run it replaces. Its period is handled.
 *
 * @param runId unique for ever; names the run's directory
 * @param nominal the period's nominal second, {@code CronCalendar.NONE} for a manual run
 * @param chosen the second chosen for it; for a manual run the second it was asked for
 * @param due the second it was due (never before {@code chosen})
 * @param phase how far it has come
 * @param ending why it is being ended, or null
 * @param bootId the boot in which the intent was written: only within it can never-began be proved
 * @param pid the keeper's process, 0 until it is known
 * @param startTicks the kernel's start time of {@code pid} (clock ticks since boot), 0 until known
 * @param startedAt epoch millisecond of the intent; of the decision while it waits
 * @param endedBy the operator who wants it to end, or null
 * @param attempt which attempt of its period it is, from 1
 * @param cause the run whose success caused it; null: its period or an operator did
 * @param bootPeriod the id of its period where that is a boot, otherwise null
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
    @Nullable String bootPeriod) {

  /** How far a run has come, as far as is durable. */
  public enum Phase {
    /** Waits for the runs that it replaces to end. */
    WAITING,
    /** About to be started: whatever happens now, only its claim tells whether it began. */
    INTENDED,
    /** Known to have begun. */
    STARTED
  }

  /** Why a run is ended by the daemon. */
  public enum Ending {
    TIMED_OUT,
    REPLACED,
    STOPPED
  }

  /** Asked for by the operator, not by the schedule or a chain. */
  public boolean manual() {
    return nominal == CronCalendar.NONE && cause == null;
  }

  ActiveRun withPhase(Phase phase) {
    return toBuilder().phase(phase).build();
  }

  /** Nothing is left to wait for: its start begins now. */
  ActiveRun intended(long at) {
    return toBuilder().phase(Phase.INTENDED).startedAt(at).build();
  }

  ActiveRun withEnding(Ending ending, @Nullable String by) {
    return toBuilder().ending(ending).endedBy(by).build();
  }

  ActiveRun started(int pid, long startTicks) {
    return toBuilder().phase(Phase.STARTED).pid(pid).startTicks(startTicks).build();
  }

  /** The same, started under another id because it provably never began. */
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
        .build();
  }

  /** Starts a first attempt that is intended; of no period until one is set. */
  public static Builder builder(String runId) {
    return new Builder(runId);
  }

  /** The same, to be changed in parts. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** The components by their names; what is not set is at its default. */
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
          bootPeriod);
    }
  }
}
