package dev.kron.fleet;

import dev.kron.cron.NominalTimes;
import dev.kron.job.JobState;
import dev.kron.job.Periods;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A job, what its row said last, and which of its periods comes next for this node. */
final class Watched implements Comparable<Watched> {
  final FleetJob job;
  private @Nullable JobRow row;
  private long passed = NominalTimes.NONE;

  /** The moment since which the files say what is in force, where they did not before. */
  private long inForceSinceMillis = Long.MIN_VALUE / 2;

  /** Whether the files said something else than what is in force when the row was seen last. */
  private boolean foreign;

  private Periods.@Nullable Next next;
  private long turnAtMillis = Long.MAX_VALUE;

  /** Its place among the node's jobs: many are due at one moment, and a number is compared fast. */
  private int number;

  Watched(FleetJob job) {
    this.job = job;
  }

  /** A job that this node's files did not have until now, although it was there. */
  static Watched late(FleetJob job) {
    var watched = new Watched(job);
    watched.foreign = true;
    return watched;
  }

  /** The same job as the files have it from now on. */
  Watched changed(FleetJob now) {
    var changed = new Watched(now);
    changed.foreign = foreign;
    return changed;
  }

  /** Its place among the jobs, before it is queued. */
  void number(int among) {
    number = among;
  }

  @Nullable JobRow row() {
    return row;
  }

  /**
   * @param nowMillis fleet's time
   */
  void saw(JobRow seen, long nowMillis) {
    boolean before = foreign;
    row = seen;
    foreign = !isInForce();
    if (before && !foreign) {
      inForceSinceMillis = nowMillis;
    }
  }

  /** Periods up to this one are nothing to this node any more. */
  void pass(long nominal) {
    passed = Math.max(passed, nominal);
  }

  /** Whether the files say what is in force. */
  boolean isInForce() {
    JobRow known = row;
    return known != null && known.definition().equals(job.definition());
  }

  Periods.@Nullable Next next() {
    return next;
  }

  long turnAtMillis() {
    return turnAtMillis;
  }

  /**
   * The next period of the job.
   *
   * @param presentSinceMillis fleet's time since which this node is there
   * @param unnoticedMillis how long a change of the definition may take until it is noticed
   * @param turns how long after a due time this node's turn comes
   */
  void plan(long presentSinceMillis, long unnoticedMillis, long lastTurnMillis, Turns turns) {
    JobRow known = row;
    next = null;
    turnAtMillis = Long.MAX_VALUE;
    if (known == null || !isInForce() || job.schedule().policy().suspend()) {
      return;
    }
    boolean moved = known.countsFromMillis() >= known.sinceMillis();
    long since = Math.ceilDiv(Math.max(known.sinceMillis(), known.countsFromMillis()), 1000L);
    JobState state =
        JobState.builder(job.seed())
            .lastHandled(Math.max(known.lastPeriod(), passed))
            .since(since)
            .pastLost(moved)
            .build();
    // A period that was due while another definition was in force was due in this node's absence.
    long present = Math.max(presentSinceMillis, inForceSinceMillis - unnoticedMillis);
    Periods.Next found = Periods.next(job.schedule(), state, present);
    if (found != null) {
      next = found;
      long due = found.due() * 1000L;
      turnAtMillis =
          found.lateSeconds() >= 0
              ? Math.max(due + lastTurnMillis, present)
              : due + turns.after(Instant.ofEpochSecond(found.nominal()).toString());
    }
  }

  /** The time from a due moment to this node's turn, by the period's id. */
  @FunctionalInterface
  interface Turns {
    long after(String period);
  }

  @Override
  public int compareTo(Watched other) {
    int order = Long.compare(turnAtMillis, other.turnAtMillis);
    return order != 0 ? order : Integer.compare(number, other.number);
  }
}
