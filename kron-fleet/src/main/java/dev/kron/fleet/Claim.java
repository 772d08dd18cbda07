package dev.kron.fleet;

import dev.kron.schedule.Policy.Concurrency;
import java.util.Locale;

/**
 * A run that a node wants to be its own. The run's id is fixed before the first try and the same in
 * all others, so that after a lost answer nobody has to guess.
 *
 * @param run id of the run, or of the record
 * @param terms on which it was decided
 */
public record Claim(
    RowKey row,
    String run,
    Kind kind,
    Period period,
    Terms terms,
    Concurrency concurrency,
    String note) {

  /** The note of a retry of a period that was run again, which used up no retry. */
  static final String AFTER_RERUN = "after a rerun";

  /** The number of retries that its period has used up with this attempt. */
  int retriesUsed() {
    boolean rerun = kind == Kind.RERUN || (kind == Kind.RETRY && note.equals(AFTER_RERUN));
    return period.attempt() - (rerun ? 2 : 1);
  }

  /** The kinds of runs that are claimed. */
  public enum Kind {
    /**
     * The first attempt of a period; the note is the id of a lost run that it need not wait for.
     */
    START,
    /**
     * The attempt after one that failed for certain; the note is {@link #AFTER_RERUN} where one
     * before it took the place of a run that was lost.
     */
    RETRY,
    /** The attempt after one whose node is lost; the note is the lost run's id. */
    RERUN,
    /** A run that an earlier one caused; the note is its id. It has no period of its own. */
    CHAIN,
    /** A run that somebody asked for; the note is the request's id. It has no period either. */
    TRIGGER,
    /** No run: the period is recorded as missed, the note says why. */
    MISSED,
    /** No run: the period is recorded as skipped, as another run goes on; the note says which. */
    SKIPPED,
    /** No run: no second of the period's window was allowed. */
    UNSCHEDULABLE;

    /** Whether a command is to be executed. */
    public boolean isRun() {
      return this != MISSED && this != SKIPPED && this != UNSCHEDULABLE;
    }

    /** Whether the last handled period moves. */
    public boolean handlesPeriod() {
      return this == START || !isRun();
    }

    /** The outcome on record of a period that is not run. */
    public String outcome() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it is about a period at all. */
    public boolean hasPeriod() {
      return this != CHAIN && this != TRIGGER;
    }
  }

  /**
   * A period, or what stands in its place.
   *
   * @param nominal second, {@code NominalTimes.NONE} where there is none
   * @param attempt from 1
   * @param windowStartMillis when its window begins
   * @param dueMillis when it is due; of a retry, when that is
   */
  public record Period(long nominal, int attempt, long windowStartMillis, long dueMillis) {}

  /**
   * The conditions that must hold in the database.
   *
   * @param latestMillis after which it is not claimed any more
   */
  public record Terms(String definition, long generation, long latestMillis) {}

  /** The same, to be tried for longer. */
  Claim until(long latestMillis) {
    return new Claim(
        row,
        run,
        kind,
        period,
        new Terms(terms.definition(), terms.generation(), latestMillis),
        concurrency,
        note);
  }
}
