package dev.kron.fleet;

import dev.kron.schedule.Policy.Concurrency;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of the database on a claim. Both of its kinds come to it by {@link #of}, from what a
 * statement did and saw.
 */
public sealed interface Verdict {
  /** The run is the claimer's: now, or since an earlier try whose answer was lost. */
  record Taken() implements Verdict {}

  /**
   * The period is handled by another run, or by none.
   *
   * @param lastPeriod the last one that is
   */
  record Handled(long lastPeriod, String run) implements Verdict {}

  /** Another run goes on, and the policy allows no second one. */
  record Busy(JobRow.Active active) implements Verdict {}

  /** The run can not be claimed on these terms. */
  record Refused(Why why, JobRow row) implements Verdict {}

  /** The verdict is not known: the row was locked. It has to be tried again. */
  record NoAnswer() implements Verdict {}

  /** The job has no row: somebody has emptied the table. It has to be told of once more. */
  record NoRow() implements Verdict {}

  /** The reasons why a claim is refused. */
  enum Why {
    /** The row belongs to another generation. */
    GENERATION,
    /** Another definition is in force. */
    DEFINITION,
    SUSPENDED,
    /** Its window began before periods count, or it was due before the job was first seen. */
    NOT_COUNTED,
    /** The claim's own latest moment has passed. */
    LATE,
    /** The period is not due yet, or nothing is claimed for a while. */
    EARLY,
    /** The run for which the period would be skipped is over. */
    FREE,
    /** The basis of the claim is not so any more: an attempt, a lost run, a request. */
    OVERTAKEN
  }

  /**
   * Makes a verdict.
   *
   * @param by who claims
   * @param taken the statement took it
   * @param existing state of a run of this id from before, null: there is none
   * @param row as the statement saw it before it changed anything, null: there is none
   */
  static Verdict of(
      Claim claim,
      UUID by,
      boolean taken,
      @Nullable String existing,
      @Nullable JobRow row,
      long clock) {
    if (taken
        || ("running".equals(existing) && !isOvertaken(claim, row))
        || (existing != null && !claim.kind().isRun())) {
      return new Taken();
    }
    if (row == null) {
      return new NoRow();
    }
    if (existing != null) {
      return new Refused(Why.OVERTAKEN, row); // released meanwhile, or called lost
    }
    Why why = Rules.refusal(claim, row, clock);
    if (why == Why.OVERTAKEN && claim.kind().handlesPeriod()) {
      return new Handled(row.lastPeriod(), row.lastRun());
    }
    if (why != null) {
      return new Refused(why, row);
    }
    JobRow.Active active = row.active();
    return active != null && Rules.forbids(claim, by, active, clock)
        ? new Busy(active)
        : new NoAnswer();
  }

  /**
   * Whether another run has taken the place of one that was claimed before: it was lost for a
   * while, and run again meanwhile, or replaced. Where runs may overlap there is no such place.
   */
  private static boolean isOvertaken(Claim claim, @Nullable JobRow row) {
    JobRow.Active active = row == null ? null : row.active();
    return claim.concurrency() != Concurrency.ALLOW
        && active != null
        && !active.run().equals(claim.run());
  }
}
