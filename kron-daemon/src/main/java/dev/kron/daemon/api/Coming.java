package dev.kron.daemon.api;

import dev.kron.job.JobSpec;
import dev.kron.job.Periods;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;
import org.jspecify.annotations.Nullable;

/** The upcoming periods of a job, in the order in which the loop will handle them. */
final class Coming {
  private final JobView job;
  private final Schedule schedule;
  private final DueTimes dueTimes;
  private @Nullable Due next;

  private Coming(JobView job, Schedule schedule) {
    this.job = job;
    this.schedule = schedule;
    this.dueTimes = DueTimes.of(schedule, job.seed());
  }

  /** The upcoming periods of a job; null if its schedule does not start it. */
  static @Nullable Coming of(JobView job, long nowMillis) {
    JobSpec spec = job.spec();
    if (spec == null || job.suspended()) {
      return null;
    }
    if (spec.isClaimed()) { // what was handled before, all nodes together know
      var claimed = new Coming(job, spec.schedule());
      claimed.next = claimed.dueTimes.firstAfter(Math.floorDiv(nowMillis, 1000L));
      return claimed;
    }
    Periods.Next first = Periods.next(spec.schedule(), job.state(), nowMillis);
    if (first == null) {
      return null;
    }
    var coming = new Coming(job, spec.schedule());
    coming.next = coming.dueTimes.of(first.nominal());
    return coming;
  }

  /** Skips the periods whose windows end before a second. */
  void skipTo(long second) {
    Due first = next;
    long nominal = schedule.next(second - schedule.window().endOffsetSeconds() - 1);
    if (first != null && nominal > first.decision().nominalEpochSecond()) {
      next = dueTimes.of(nominal);
      passOverBegun();
    }
  }

  /** The next period; null if there are no more. */
  @Nullable Due peek() {
    return next;
  }

  void advance() {
    Due present = next;
    if (present != null) {
      next = dueTimes.following(present);
      passOverBegun();
    }
  }

  private void passOverBegun() {
    Due present = next;
    while (present != null
        && job.state().begunAhead().contains(present.decision().nominalEpochSecond())) {
      present = dueTimes.following(present);
    }
    next = present;
  }
}
