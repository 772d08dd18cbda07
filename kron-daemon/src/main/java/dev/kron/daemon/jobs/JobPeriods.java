package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Presence;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobEvent;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobSpec;
import dev.kron.job.Periods;
import org.jspecify.annotations.Nullable;

/**
 * The periods of jobs: which is due, when the next one is, and how late a run is after an absence
 * of the daemon.
 */
final class JobPeriods {
  private final Clocks clocks;
  private final Presence presence;
  private final RunPreparer preparer;
  private final NewRuns newRuns;
  private final JobLog log;

  JobPeriods(LoopTime time, RunPreparer preparer, NewRuns newRuns, JobLog log) {
    this.clocks = time.clocks();
    this.presence = time.presence();
    this.preparer = preparer;
    this.newRuns = newRuns;
    this.log = log;
  }

  /**
   * The event whose time has come; null if there is none, then {@link Job#dueAt} says when there
   * will be.
   */
  @Nullable JobEvent takeDue(Job job, @Nullable JobSpec spec) {
    if (WaitingAttempt.isUnwanted(job)) {
      return new JobEvent.RetryDropped();
    }
    if (spec == null) {
      return null;
    }
    if (job.changedSince != Job.NEVER) {
      // The machine decides whether the schedule has changed.
      String fingerprint = spec.schedule().fingerprint();
      return new JobEvent.PastDropped(fingerprint, job.changedSince, false);
    }
    if (job.suspended() || spec.isClaimed()) {
      return null; // in a fleet, what is due here is claimed
    }
    Presence.Moment moment = presence.look(clocks);
    long now = moment.wallMillis();
    long seenSince = Math.max(moment.sinceMillis(), job.seenSinceMillis);
    Periods.Next next = Periods.next(spec.schedule(), job.state, seenSince);
    if (next != null && next.due() <= Math.floorDiv(now, 1000L)) {
      return new PeriodDue(
          next.nominal(),
          next.chosen(),
          next.due(),
          next.lateSeconds(),
          preparer.runId(job, next.nominal()),
          newRuns.bootId(),
          now);
    }
    BootPeriods.Due boot = newRuns.boots() == null ? null : newRuns.boots().due(job, spec, now);
    if (boot != null && boot.second() <= Math.floorDiv(now, 1000L)) {
      return new PeriodDue(
          boot.decision().nominalEpochSecond(),
          boot.decision().chosenEpochSecond(),
          boot.second(),
          PeriodDue.SEEN,
          newRuns.nextId(),
          newRuns.bootId(),
          now,
          boot.decision().periodId());
    }
    WaitingAttempt attempt = WaitingAttempt.of(job, spec, seenSince, now);
    if (attempt != null && attempt.second() <= Math.floorDiv(now, 1000L)) {
      return attempt.due(WaitingAttempt.runId(job, newRuns), newRuns.bootId(), now);
    }
    long nextAttempt = attempt == null ? Job.NEVER : attempt.second();
    long nextPeriod = next == null ? Job.NEVER : next.due();
    job.dueAt = Math.min(boot == null ? nextPeriod : boot.second(), nextAttempt);
    tellWhetherHeld(job, spec, now);
    return null;
  }

  /** Logs once that a clock which was far ahead has silenced the job. */
  private void tellWhetherHeld(Job job, JobSpec spec, long nowMillis) {
    long until = Periods.heldUntil(spec.schedule(), job.state, nowMillis);
    boolean held = until != CronCalendar.NONE;
    if (held && !job.held) {
      log.held(job, spec, until);
    }
    job.held = held;
  }

  /** The same event with the present lateness: the machine may have slept since it was made. */
  JobEvent asOfNow(Job job, NeverBegan told) {
    long since = presence.look(clocks).sinceMillis();
    for (ActiveRun run : job.state.active()) {
      if (run.runId().equals(told.runId())) {
        return new NeverBegan(
            told.runId(), late(job, run, since), told.newRunId(), told.bootId(), told.at());
      }
    }
    return told;
  }

  /**
   * How many seconds late a run was when the daemon was back.
   *
   * @param sinceMillis since when everything was seen
   */
  static long late(Job job, ActiveRun run, long sinceMillis) {
    long seenSince = Math.max(sinceMillis, job.seenSinceMillis);
    return Math.max(Math.floorDiv(seenSince - run.due() * 1000L, 1000L), PeriodDue.SEEN);
  }
}
