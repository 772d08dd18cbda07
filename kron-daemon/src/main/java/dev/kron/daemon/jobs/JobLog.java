package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Meters;
import dev.kron.daemon.loop.Presence;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEffect;
import dev.kron.job.JobEvent;
import dev.kron.job.JobEvent.Launched;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobSpec;
import dev.kron.job.Links;
import dev.kron.job.Retry;
import dev.kron.notice.Problems;
import dev.kron.schedule.Decision;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * The log of jobs. An event is logged once it is durable, with everything that is needed to explain
 * it without the daemon: identity, period, chosen time, seed hash.
 */
public final class JobLog {
  /** The word for the resumption of a job by command. */
  public static final String RESUMED = "resumed";

  private static final String JOB = "job";

  private final EventLog log;
  private final Ended ended;
  private final Meters meters;

  /** A listener for what ends and happens. */
  public interface Ended {
    /**
     * @param zone in which the job's days are counted
     */
    void ended(String identity, ZoneId zone, HistoryEntry entry);

    /** Something other than a run has happened to a job: {@code suspended}, {@code removed} … */
    default void happened(String identity, String what, long atMillis) {}
  }

  public JobLog(EventLog log) {
    this(log, (identity, zone, entry) -> {}, new Meters());
  }

  public JobLog(EventLog log, Ended ended, Meters meters) {
    this.meters = meters;
    this.log = log;
    this.ended = ended;
  }

  /**
   * A step is durable.
   *
   * @param before the job's problems before that step
   */
  void durable(Write write, Problems before) {
    Job job = write.job();
    for (Job.Waiting waiting : write.events()) {
      event(job, waiting.event());
    }
    for (JobEffect effect : write.effects()) {
      effect(job, effect);
    }
    for (HistoryEntry entry : write.history()) {
      ended(job, entry, write.state().retry());
      JobSpec spec = job.spec;
      ended.ended(job.identity, spec == null ? ZoneOffset.UTC : spec.schedule().zone(), entry);
      meters.ended(entry);
    }
    Problems after = write.problems();
    if (after != null && after.mutedUntilMillis() != before.mutedUntilMillis()) {
      muted(job, after.mutedUntilMillis());
    }
  }

  private void muted(Job job, long untilMillis) {
    if (untilMillis == 0) {
      log.info(JOB, "unmuted", "identity", job.identity);
    } else {
      Instant until = Instant.ofEpochMilli(untilMillis);
      log.info(JOB, "muted", "identity", job.identity, "until", until);
    }
  }

  private void event(Job job, JobEvent event) {
    switch (event) {
      case PeriodDue due -> decided(job, due);
      case Launched launched -> started(job, launched);
      case JobEvent.RunRequested request ->
          log.info(JOB, "run_requested", "identity", job.identity, "run", request.runId());
      case JobEvent.Claimed claimed ->
          log.info(
              JOB,
              "claimed",
              "identity",
              job.identity,
              "period",
              period(claimed.run().nominal(), null),
              "attempt",
              claimed.run().attempt(),
              "run",
              claimed.run().runId());
      case JobEvent.Found(HistoryEntry entry) ->
          log.warn(JOB, "run_found", "identity", job.identity, "run", entry.runId());
      case JobEvent.EndRequested request ->
          log.info(
              JOB,
              "stop_requested",
              "identity",
              job.identity,
              "run",
              request.runId(),
              "by",
              request.by());
      case JobEvent.RetryDue due ->
          log.info(
              JOB,
              "retry_due",
              "identity",
              job.identity,
              "run",
              due.runId(),
              "late_s",
              late(due.lateSeconds(), due.due(), due.at()));
      case JobEvent.LinkDue due ->
          log.info(
              JOB,
              "link_due",
              "identity",
              job.identity,
              "run",
              due.runId(),
              "cause",
              due.owed().cause());
      case JobEvent.LinkPaid paid -> {}
      case JobEvent.LinksSettled settled -> {}
      case JobEvent.RetryDropped() -> log.warn(JOB, "retry_dropped", "identity", job.identity);
      case JobEvent.Suspended() -> happened(job, "suspended");
      case JobEvent.Resumed() -> happened(job, RESUMED);
      case JobEvent.Unendable unendable ->
          log.error(JOB, "run_unendable", "identity", job.identity, "run", unendable.runId());
      case JobEvent.Released released ->
          log.warn(
              JOB,
              "periods_released",
              "identity",
              job.identity,
              "after",
              Instant.ofEpochSecond(released.since()));
      case JobEvent.PastDropped dropped ->
          log.warn(
              JOB,
              "past_dropped",
              "identity",
              job.identity,
              "since",
              Instant.ofEpochSecond(dropped.since()));
      case JobEvent.NeverBegan neverBegan ->
          log.warn(JOB, "run_never_began", "identity", job.identity, "run", neverBegan.runId());
      case JobEvent.Exited exited -> {} // logged with its history entry
      case JobEvent.LaunchFailed failed -> {}
      case JobEvent.TimedOut timedOut -> {} // logged as the run being ended
      case JobEvent.StopRequested stop -> {}
      case JobEvent.Recovered recovered -> {}
    }
  }

  private void happened(Job job, String what) {
    log.info(JOB, what, "identity", job.identity);
    ended.happened(job.identity, what, log.millis());
  }

  /** A reload has added or removed a job; the log has one line for all of them. */
  void inFile(String identity, boolean there) {
    ended.happened(identity, there ? "added" : "removed", log.millis());
  }

  private void decided(Job job, PeriodDue due) {
    if (due.lateSeconds() != PeriodDue.SEEN) {
      meters.lateness.addNanos(due.lateSeconds() * 1_000_000_000L);
    }
    log.info(
        JOB,
        "decided",
        "identity",
        job.identity,
        "period",
        period(due.nominal(), due.bootPeriod()),
        "chosen",
        second(due.chosen()),
        "due",
        second(due.due()),
        "seed",
        seed(job, due.nominal(), due.bootPeriod()),
        "late_s",
        late(due.lateSeconds(), due.due(), due.at()));
  }

  /**
   * How many seconds after its time something was decided; null where the daemon was there. Whether
   * it is too late is a question of {@code lateSeconds}, which counts no work since the absence.
   */
  private static @Nullable Long late(long lateSeconds, long due, long atMillis) {
    return lateSeconds == PeriodDue.SEEN
        ? null
        : (Long) Math.max(lateSeconds, Math.floorDiv(atMillis, 1000L) - due);
  }

  private void started(Job job, Launched launched) {
    for (ActiveRun run : job.state.active()) {
      if (run.runId().equals(launched.runId())) {
        if (!run.manual()) {
          meters.startLatency.addNanos((log.millis() - run.due() * 1000) * 1_000_000L);
        }
        log.info(
            JOB,
            "run_started",
            "identity",
            job.identity,
            "period",
            period(run.nominal(), run.bootPeriod()),
            "chosen",
            second(run.chosen()),
            "seed",
            seed(job, run.nominal(), run.bootPeriod()),
            "run",
            run.runId(),
            "keeper",
            launched.pid());
      }
    }
  }

  private void effect(Job job, JobEffect effect) {
    switch (effect) {
      case JobEffect.Launch launch ->
          log.info(
              JOB,
              "triggered",
              "identity",
              job.identity,
              "period",
              period(launch.run().nominal(), launch.run().bootPeriod()),
              "chosen",
              second(launch.run().chosen()),
              "seed",
              seed(job, launch.run().nominal(), launch.run().bootPeriod()),
              "run",
              launch.run().runId());
      case JobEffect.End end -> ending(job, end);
      case JobEffect.Alert alert -> {} // the failure itself is logged
    }
  }

  private void ending(Job job, JobEffect.End end) {
    ActiveRun run =
        job.state.active().stream()
            .filter(active -> active.runId().equals(end.runId()))
            .findFirst()
            .orElse(null); // it has ended in the same step
    long nominal = run == null ? CronCalendar.NONE : run.nominal();
    String boot = run == null ? null : run.bootPeriod();
    log.warn(
        JOB,
        end.ending() == ActiveRun.Ending.REPLACED ? "replacing" : "run_ending",
        "identity",
        job.identity,
        "period",
        period(nominal, boot),
        "chosen",
        run == null ? null : second(run.chosen()),
        "seed",
        seed(job, nominal, boot),
        "run",
        end.runId(),
        "reason",
        end.ending());
  }

  private void ended(Job job, HistoryEntry entry, @Nullable Retry retry) {
    Retry again = retry != null && retry.failed().equals(entry) ? retry : null;
    String event =
        switch (entry.outcome()) {
          case EXECUTED -> entry.stage() == null ? "run_ended" : "run_not_started";
          case SKIPPED -> "skipped";
          case MISSED -> "missed";
          case UNSCHEDULABLE -> "unschedulable";
        };
    log.log(
        entry.failed() ? EventLog.Level.WARN : EventLog.Level.INFO,
        JOB,
        event,
        "identity",
        job.identity,
        "period",
        period(entry.nominal(), entry.bootPeriod()),
        "chosen",
        second(entry.chosen()),
        "seed",
        seed(job, entry.nominal(), entry.bootPeriod()),
        "run",
        entry.runId(),
        "exit",
        entry.outcome() != dev.kron.job.Outcome.EXECUTED || entry.stage() != null
            ? null
            : entry.exitCode() == null ? "unknown" : entry.exitCode(),
        "signal",
        entry.signal(),
        "stage",
        entry.stage(),
        "reason",
        entry.reason(),
        "attempt",
        entry.attempt() == 1 && again == null ? null : entry.attempt(),
        "again_at",
        again == null ? null : Instant.ofEpochMilli(again.notBefore()));
  }

  void linkDropped(Job job, Links.Owed owed) {
    log.warn(
        JOB,
        "link_dropped",
        "identity",
        job.identity,
        "run",
        owed.cause(),
        "target",
        owed.target(),
        "reason",
        "the job that follows is in no file any more");
  }

  void held(Job job, JobSpec spec, long until) {
    log.warn(
        JOB,
        "held",
        "identity",
        job.identity,
        "period",
        second(job.state.handled()),
        "until",
        second(until),
        "release",
        "kron forget " + spec.name() + " --periods-after now");
  }

  /** The daemon was away for some time. */
  void away(Presence.Absence absence) {
    log.warn(
        "clock",
        absence.clockMoved() ? "clock_jumped" : "was_paused",
        "from",
        Instant.ofEpochMilli(absence.from()),
        "to",
        Instant.ofEpochMilli(absence.to()),
        "seconds",
        (absence.to() - absence.from()) / 1000.0);
  }

  private static @Nullable String second(long epochSecond) {
    return epochSecond == CronCalendar.NONE ? null : Instant.ofEpochSecond(epochSecond).toString();
  }

  private static @Nullable String period(long nominal, @Nullable String boot) {
    return boot == null ? second(nominal) : boot;
  }

  private static @Nullable String seed(Job job, long nominal, @Nullable String boot) {
    JobSpec spec = job.spec;
    if (spec == null || nominal == CronCalendar.NONE) {
      return null;
    }
    Decision decision =
        boot == null
            ? spec.schedule().decide(spec.seed(), nominal)
            : spec.schedule().decideBoot(job.identity, boot, nominal);
    return decision.seedHash();
  }
}
