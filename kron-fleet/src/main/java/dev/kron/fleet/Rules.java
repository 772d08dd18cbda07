package dev.kron.fleet;

import dev.kron.fleet.JobRow.Active;
import dev.kron.fleet.Verdict.Why;
import dev.kron.schedule.Policy.Concurrency;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a claim, on the row as it is when it is locked. The SQL of the claim says the
 * same; a test holds both against each other.
 */
final class Rules {
  /**
   * The time after its due time at which a period can be called skipped: ends travel before claims.
   */
  static final long SKIP_AFTER_MILLIS = 1000;

  /** The time after the end of its lease at which the runs of a lost node may be run again. */
  static final long RERUN_AFTER_MILLIS = 20_000;

  private Rules() {}

  /** Whether a claim can be taken, what runs now included. */
  static boolean allow(Claim claim, UUID by, JobRow row, long clock) {
    Active active = row.active();
    return refusal(claim, row, clock) == null
        && (active == null || !forbids(claim, by, active, clock));
  }

  /** The reason why a claim cannot be taken whatever runs now, or null. */
  static @Nullable Why refusal(Claim claim, JobRow row, long clock) {
    if (claim.kind().handlesPeriod() && claim.period().nominal() <= row.lastPeriod()) {
      return Why.OVERTAKEN;
    }
    if (row.generation() != claim.terms().generation()) {
      return Why.GENERATION;
    }
    if (!row.definition().equals(claim.terms().definition())) {
      return Why.DEFINITION;
    }
    if (row.suspended()) {
      return Why.SUSPENDED;
    }
    if (clock > claim.terms().latestMillis()) {
      return Why.LATE;
    }
    if (clock < row.claimsFromMillis() || clock < claim.period().dueMillis()) {
      return Why.EARLY;
    }
    return ofKind(claim, row, clock);
  }

  private static @Nullable Why ofKind(Claim claim, JobRow row, long clock) {
    return switch (claim.kind()) {
      case START, MISSED, UNSCHEDULABLE -> counts(claim, row) ? null : Why.NOT_COUNTED;
      case SKIPPED -> skip(claim, row, clock);
      case RETRY -> retries(claim, row, clock) ? null : Why.OVERTAKEN;
      case RERUN -> reruns(claim, row, clock) ? null : Why.OVERTAKEN;
      case CHAIN, TRIGGER -> null;
    };
  }

  private static boolean counts(Claim claim, JobRow row) {
    return claim.period().windowStartMillis() > row.countsFromMillis()
        && claim.period().dueMillis() >= row.sinceMillis();
  }

  private static @Nullable Why skip(Claim claim, JobRow row, long clock) {
    if (!counts(claim, row)) {
      return Why.NOT_COUNTED;
    }
    if (row.active() == null) {
      return Why.FREE;
    }
    return clock < claim.period().dueMillis() + SKIP_AFTER_MILLIS ? Why.EARLY : null;
  }

  private static boolean retries(Claim claim, JobRow row, long clock) {
    Long retryAt = row.retryAtMillis();
    return isNextAttempt(claim, row) && retryAt != null && clock >= retryAt;
  }

  private static boolean reruns(Claim claim, JobRow row, long clock) {
    Active active = row.active();
    if (active == null || !isNextAttempt(claim, row)) {
      return false;
    }
    Long rerunAt = active.rerunAtMillis();
    return active.run().equals(claim.note()) && rerunAt != null && clock >= rerunAt;
  }

  private static boolean isNextAttempt(Claim claim, JobRow row) {
    return row.lastPeriod() == claim.period().nominal()
        && row.lastAttempt() == claim.period().attempt() - 1;
  }

  /** Whether a run that goes on keeps a claim from being taken. */
  static boolean forbids(Claim claim, UUID by, Active active, long clock) {
    return switch (claim.kind()) {
      case START -> keepsOthersOut(claim, by, active) && !isOver(claim, active, clock);
      case CHAIN, TRIGGER -> keepsOthersOut(claim, by, active);
      case RETRY -> claim.concurrency() != Concurrency.ALLOW;
      // Who runs what is to be replaced decides, if it is there to decide.
      case SKIPPED -> claim.concurrency() == Concurrency.REPLACE && active.nodeLives();
      case RERUN, MISSED, UNSCHEDULABLE -> false;
    };
  }

  private static boolean keepsOthersOut(Claim claim, UUID by, Active active) {
    return claim.concurrency() == Concurrency.FORBID
        || (claim.concurrency() == Concurrency.REPLACE && !active.node().equals(by));
  }

  /** Whether a period is claimed in place of a lost run that might be repeated by now. */
  private static boolean isOver(Claim claim, Active active, long clock) {
    Long rerunAt = active.rerunAtMillis();
    return rerunAt != null && clock >= rerunAt && active.run().equals(claim.note());
  }
}
