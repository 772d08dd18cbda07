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
    @Nullable String cause) {

  /** A first attempt that nobody asked to end. */
  public ActiveRun(
      String runId,
      long nominal,
      long chosen,
      long due,
      Phase phase,
      @Nullable Ending ending,
      String bootId,
      int pid,
      long startTicks,
      long startedAt) {
    this(
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
        null,
        1,
        null);
  }

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
    return with(phase, ending, pid, startTicks, startedAt, endedBy);
  }

  /** Nothing is left to wait for: its start begins now. */
  ActiveRun intended(long at) {
    return with(Phase.INTENDED, ending, pid, startTicks, at, endedBy);
  }

  ActiveRun withEnding(Ending ending, @Nullable String by) {
    return with(phase, ending, pid, startTicks, startedAt, by);
  }

  ActiveRun started(int pid, long startTicks) {
    return with(Phase.STARTED, ending, pid, startTicks, startedAt, endedBy);
  }

  private ActiveRun with(
      Phase phase,
      @Nullable Ending ending,
      int pid,
      long startTicks,
      long startedAt,
      @Nullable String endedBy) {
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
        cause);
  }

  /** The same, started under another id because it provably never began. */
  ActiveRun again(String runId, String bootId, long at) {
    return new ActiveRun(
        runId, nominal, chosen, due, Phase.INTENDED, null, bootId, 0, 0, at, null, attempt, cause);
  }
}
