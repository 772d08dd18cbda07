package dev.kron.fleet;

import dev.kron.cron.NominalTimes;
import dev.kron.fleet.Claim.Kind;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.Periods;
import dev.kron.schedule.Policy.Concurrency;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a node that are not decided yet. Each keeps its run id from the first try to the
 * last, and there is one at a time for the periods of a row.
 */
final class ClaimDesk {
  private static final long MILLI = 1_000_000L;

  /**
   * The time for which a claim that is sent may be taken: one that was delayed for longer is none.
   */
  private static final long VALID_MILLIS = 5000;

  private final Supplier<String> ids;
  private final Map<String, Pending> pending = new LinkedHashMap<>();
  private final Set<RowKey> busy = new HashSet<>();
  private final Map<String, Claim> triggers = new LinkedHashMap<>();

  /**
   * @param claim as it was sent last
   * @param stale it was sent before this node was absent: whether it was taken is asked, but it is
   *     not to be taken any more
   */
  private record Pending(Claim claim, long againAtNanos, boolean stale) {
    Pending sent(Claim as) {
      return new Pending(as, againAtNanos, stale);
    }
  }

  /** The moment of a node's turn, after one that concerns a period. */
  @FunctionalInterface
  interface Turns {
    long after(FleetJob job, String period);
  }

  ClaimDesk(Supplier<String> ids) {
    this.ids = ids;
  }

  static boolean replaces(FleetJob job) {
    return concurrency(job) == Concurrency.REPLACE;
  }

  private static Concurrency concurrency(FleetJob job) {
    return job.schedule().policy().concurrency();
  }

  /** Whether a claim for a period of a row is under way. */
  boolean isBusy(RowKey row) {
    return busy.contains(row);
  }

  boolean knows(String run) {
    return pending.containsKey(run)
        || triggers.values().stream().anyMatch(claim -> claim.run().equals(run));
  }

  /** The claims of runs that wait for a verdict, requests apart. */
  List<Claim> pending() {
    return pending.values().stream().map(Pending::claim).toList();
  }

  /** The moment at which the next claim is to be sent. */
  long nextAt() {
    long next = triggers.isEmpty() ? Long.MAX_VALUE : Long.MIN_VALUE;
    for (Pending each : pending.values()) {
      next = Math.min(next, each.againAtNanos());
      if (next == Long.MIN_VALUE) {
        break;
      }
    }
    return next;
  }

  void clear() {
    pending.clear();
    busy.clear();
    triggers.clear();
  }

  /** The next period is claimed, or the reason why it is not run is recorded. */
  void due(Watched watched, long generation, long now) {
    Periods.Next next = watched.next();
    if (next == null) {
      return;
    }
    Kind kind = Kind.START;
    String note = "";
    if (next.chosen() == NominalTimes.NONE) {
      kind = Kind.UNSCHEDULABLE;
    } else if (next.lateSeconds() > watched.job.schedule().policy().deadlineSeconds()) {
      kind = Kind.MISSED;
      note = "nobody was there for " + next.lateSeconds() + " s";
    }
    long nominal = next.nominal();
    long windowStart = nominal + watched.job.schedule().window().startOffsetSeconds();
    var period = new Claim.Period(nominal, 1, windowStart * 1000L, next.due() * 1000L);
    add(claim(watched, kind, period, generation, now, note));
  }

  private Claim claim(
      Watched watched, Kind kind, Claim.Period period, long generation, long now, String note) {
    return claim(watched, ids.get(), kind, period, generation, now, note);
  }

  private static Claim claim(
      Watched watched,
      String run,
      Kind kind,
      Claim.Period period,
      long generation,
      long now,
      String note) {
    return new Claim(
        watched.job.row(),
        run,
        kind,
        period,
        new Claim.Terms(watched.job.definition(), generation, now + VALID_MILLIS),
        concurrency(watched.job),
        note);
  }

  private void add(Claim claim) {
    waitFor(claim, Long.MIN_VALUE);
  }

  /** A claim is tried, again if need be, not before a moment. */
  void waitFor(Claim claim, long againAtNanos) {
    Pending before = pending.get(claim.run());
    boolean stale = before != null && before.stale();
    pending.put(claim.run(), new Pending(claim, againAtNanos, stale));
    if (claim.kind() == Kind.TRIGGER) {
      triggers.remove(claim.note()); // the request is this node's by now
    }
    if (claim.kind().hasPeriod()) {
      busy.add(claim.row());
    }
  }

  /** The question whether a run is this node's is asked once more. */
  void again(Claim claim) {
    add(claim);
  }

  /** The attempt that a row waits for is claimed, where this node's turn has come. */
  void again(Watched watched, JobRow row, long generation, long now, Turns turns) {
    if (!watched.isInForce() || row.lastPeriod() == NominalTimes.NONE) {
      return; // where no period was ever handled, what runs, or is lost, somebody asked for
    }
    String period = Instant.ofEpochSecond(row.lastPeriod()).toString();
    long turn = turns.after(watched.job, period);
    Long retryAt = row.retryAtMillis();
    JobRow.Active active = row.active();
    boolean free = active == null || concurrency(watched.job) == Concurrency.ALLOW;
    if (retryAt != null && free && now >= retryAt + turn) {
      String note = row.last().rerun() ? Claim.AFTER_RERUN : "";
      add(attempt(watched, row, Kind.RETRY, retryAt, generation, now, note));
    } else if (active != null && watched.job.rules().loss() == Loss.RERUN) {
      Long rerunAt = active.rerunAtMillis();
      Periods.Next next = watched.next();
      boolean newer = next != null && next.due() * 1000L <= now;
      if (rerunAt != null
          && !newer
          && active.period() == row.lastPeriod()
          && now >= rerunAt + turn) {
        add(attempt(watched, row, Kind.RERUN, rerunAt, generation, now, active.run()));
      }
    }
  }

  private Claim attempt(
      Watched watched, JobRow row, Kind kind, long due, long generation, long now, String note) {
    var period = new Claim.Period(row.lastPeriod(), row.lastAttempt() + 1, due, due);
    return claim(watched, kind, period, generation, now, note);
  }

  void chain(Watched watched, String run, String cause, long generation, long now) {
    add(claim(watched, run, Kind.CHAIN, apart(now), generation, now, cause));
  }

  void trigger(Watched watched, String request, long generation, long now) {
    if (!triggers.containsKey(request)) {
      triggers.put(request, claim(watched, Kind.TRIGGER, apart(now), generation, now, request));
    }
  }

  private static Claim.Period apart(long now) {
    return new Claim.Period(NominalTimes.NONE, 1, now, now);
  }

  /** The claims to be sent now, at most one for each row. */
  List<Claim> batch(long nanos, long now, int most) {
    List<Claim> batch = new ArrayList<>();
    Set<RowKey> rows = new HashSet<>();
    for (Map.Entry<String, Pending> entry : pending.entrySet()) {
      Pending each = entry.getValue();
      if (batch.size() == most) {
        break;
      }
      if (each.againAtNanos() <= nanos && rows.add(each.claim().row())) {
        Claim claim = each.stale() ? each.claim() : each.claim().until(now + VALID_MILLIS);
        entry.setValue(each.sent(claim));
        batch.add(claim);
      }
    }
    return batch;
  }

  /**
   * The node was absent. A claim that it sent before may have been taken, and is asked for again on
   * the terms of then; a period that was not is looked at anew, since an absence is over. A chain
   * has no time.
   */
  void wasAbsent() {
    pending.replaceAll(
        (run, each) ->
            each.claim().kind() == Kind.CHAIN
                ? each
                : new Pending(each.claim(), each.againAtNanos(), true));
  }

  @Nullable Claim nextTrigger(long now) {
    for (Claim claim : triggers.values()) {
      return claim.until(now + VALID_MILLIS);
    }
    return null;
  }

  /** Whether a claim still waits for its verdict. */
  boolean awaits(Claim claim) {
    return knows(claim.run());
  }

  /**
   * The verdict on a claim.
   *
   * @return whether the claim is over, and the job's next period can be looked for
   */
  boolean verdict(Claim claim, Verdict verdict, long nanos, long now, @Nullable Watched watched) {
    if (claim.kind() == Kind.TRIGGER && !pending.containsKey(claim.run())) {
      triggers.remove(claim.note()); // where it was not taken, the next poll has it again
      return false;
    }
    return switch (verdict) {
      case Verdict.Taken _ -> handled(claim, claim.period().nominal(), watched);
      case Verdict.Handled(long lastPeriod, String _) -> handled(claim, lastPeriod, watched);
      case Verdict.NoAnswer _, Verdict.NoRow _ -> later(claim, nanos + 50 * MILLI);
      case Verdict.Busy(JobRow.Active active) -> busy(claim, active, nanos, now, watched);
      case Verdict.Refused(Verdict.Why why, JobRow _) -> refused(claim, why, nanos, watched);
    };
  }

  private boolean handled(Claim claim, long lastPeriod, @Nullable Watched watched) {
    remove(claim);
    if (claim.kind().hasPeriod() && watched != null) {
      watched.pass(lastPeriod);
    }
    return true;
  }

  private void remove(Claim claim) {
    pending.remove(claim.run());
    if (claim.kind().hasPeriod()) {
      busy.remove(claim.row());
    }
  }

  private boolean later(Claim claim, long againAtNanos) {
    waitFor(claim, againAtNanos);
    return false;
  }

  /**
   * Another run goes on: the claim waits for its end, which travels before claims, or the period is
   * skipped.
   */
  private boolean busy(
      Claim claim, JobRow.Active active, long nanos, long now, @Nullable Watched watched) {
    if (isStale(claim)) {
      remove(claim); // it was not taken, so whether it is late by now is judged anew
      return true;
    }
    return switch (claim.kind()) {
      case START -> {
        if (isOver(active, now, watched)) {
          remove(claim);
          add(as(claim, Kind.START, active.run()));
          yield false;
        }
        boolean holderDecides = claim.concurrency() == Concurrency.REPLACE && active.nodeLives();
        if (holderDecides || now < claim.period().dueMillis() + Rules.SKIP_AFTER_MILLIS) {
          yield later(claim, nanos + (holderDecides ? 500 : 100) * MILLI);
        }
        remove(claim);
        add(as(claim, Kind.SKIPPED, note(active)));
        yield false;
      }
      case SKIPPED -> later(claim, nanos + 500 * MILLI);
      default -> {
        remove(claim);
        yield true;
      }
    };
  }

  /** Whether a lost run might be run again by now: then it keeps no later period waiting. */
  private static boolean isOver(JobRow.Active active, long now, @Nullable Watched watched) {
    Long rerunAt = active.rerunAtMillis();
    return rerunAt != null
        && now >= rerunAt
        && watched != null
        && watched.job.rules().loss() == Loss.RERUN;
  }

  private static String note(JobRow.Active active) {
    Long lost = active.lostSinceMillis();
    return "run "
        + active.run()
        + " on node "
        + active.node()
        + (lost == null ? " goes on" : " is lost since " + Instant.ofEpochMilli(lost));
  }

  private boolean late(Claim claim, long nanos) {
    if (isStale(claim)) {
      remove(claim);
      return true;
    }
    return later(claim, nanos);
  }

  /** Whether it was sent before this node was absent. */
  private boolean isStale(Claim claim) {
    Pending each = pending.get(claim.run());
    return each != null && each.stale();
  }

  /** The same period, to be handled in another way, under an id of its own. */
  private Claim as(Claim claim, Kind kind, String note) {
    return new Claim(
        claim.row(), ids.get(), kind, claim.period(), claim.terms(), claim.concurrency(), note);
  }

  private boolean refused(Claim claim, Verdict.Why why, long nanos, @Nullable Watched watched) {
    return switch (why) {
      case LATE -> late(claim, nanos);
      case EARLY -> later(claim, nanos + 100 * MILLI);
      case FREE -> {
        boolean stale = isStale(claim);
        remove(claim);
        if (!stale) {
          add(as(claim, Kind.START, ""));
        }
        yield stale;
      }
      case NOT_COUNTED, SUSPENDED -> handled(claim, claim.period().nominal(), watched);
      case DEFINITION, GENERATION, OVERTAKEN -> {
        remove(claim);
        yield true;
      }
    };
  }
}
