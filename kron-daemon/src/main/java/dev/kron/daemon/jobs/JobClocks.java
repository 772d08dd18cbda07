package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.JobWatch;
import dev.kron.notice.Event;
import dev.kron.notice.Word;
import dev.kron.schedule.GoDuration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The clocks that watch jobs: whether a run begins in time and ends in time, and whether a job
 * succeeds at all. Their findings become notices of the job. Used on the loop's thread only; jobs
 * without such clocks take no memory here.
 */
public final class JobClocks {
  private final Clocks clocks;
  private final Timers timers;
  private final JobNotices notices;
  private final Map<String, Watched> watched = new HashMap<>();

  /** What is known of a job that is watched. */
  private static final class Watched {
    long successMillis;
    boolean silent;
    final Set<String> told = new HashSet<>(2);

    Watched(long successMillis) {
      this.successMillis = successMillis;
    }
  }

  JobClocks(LoopTime time, JobNotices notices) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.notices = notices;
  }

  /**
   * Takes up what is known of jobs that are to have successes.
   *
   * @param successes when each of them last had one or, without one, was first seen
   */
  public void begin(Map<String, Long> successes) {
    successes.forEach((identity, millis) -> watched.put(identity, new Watched(millis)));
  }

  /** A step is durable. */
  void durable(Write write) {
    Watched seen = watched.isEmpty() ? null : watched.get(write.job().identity);
    if (seen != null) {
      for (HistoryEntry entry : write.history()) {
        if (entry.success()) {
          seen.successMillis = entry.completedAt();
          seen.silent = false;
        }
      }
    }
  }

  /** Looks whether a clock of the job has run out, and when to look again. */
  void look(Job job) {
    JobSpec spec = job.spec;
    JobWatch watch = spec == null ? JobWatch.NONE : spec.watch();
    String key = "clock:" + job.identity;
    notices.seen(job.identity, job.suspended());
    if (watch.needsNoClock() || job.suspended()) {
      if (!watched.isEmpty() && watched.remove(job.identity) != null) {
        timers.cancel(key);
      }
      return;
    }
    long now = clocks.wallMillis();
    Watched seen = watched.computeIfAbsent(job.identity, identity -> new Watched(now));
    seen.told.retainAll(
        job.state.active().stream()
            .flatMap(run -> Set.of(run.runId() + Word.LATE, run.runId() + Word.LONG).stream())
            .collect(Collectors.toSet()));
    long next = silent(job, watch, seen, now);
    for (ActiveRun run : job.state.active()) {
      next = Math.min(next, late(job, run, watch, seen, now));
      next = Math.min(next, tooLong(job, run, watch, seen, now));
    }
    if (next == Job.NEVER) {
      timers.cancel(key);
    } else {
      timers.set(key, clocks.bootNanos() + (next - now) * 1_000_000L, () -> look(job));
    }
  }

  private long silent(Job job, JobWatch watch, Watched seen, long now) {
    if (watch.silentMillis() == 0 || seen.silent) {
      return Job.NEVER;
    }
    // A clock that was set back makes nobody wait more than twice as long.
    long limit = Math.min(seen.successMillis, now) + watch.silentMillis();
    if (now < limit) {
      return limit;
    }
    seen.silent = true;
    String reason = "no success for " + length(watch.silentMillis());
    notices.noticed(job.identity, Event.noticed(Word.SILENT, limit, reason));
    return Job.NEVER;
  }

  private long late(Job job, ActiveRun run, JobWatch watch, Watched seen, long now) {
    boolean hasDueTime =
        run.nominal() != CronCalendar.NONE && run.attempt() == 1 && run.bootPeriod() == null;
    if (watch.lateMillis() == 0 || !hasDueTime) {
      return Job.NEVER;
    }
    long limit = run.due() * 1000L + watch.lateMillis();
    long began = run.phase() == Phase.STARTED ? run.startedAt() : now;
    if (began < limit) {
      return run.phase() == Phase.STARTED ? Job.NEVER : limit;
    }
    String reason = "not started " + length(watch.lateMillis()) + " after it was due";
    tell(job, run, Word.LATE, limit, reason, seen);
    return Job.NEVER;
  }

  private long tooLong(Job job, ActiveRun run, JobWatch watch, Watched seen, long now) {
    if (watch.expectMillis() == 0 || run.phase() == Phase.WAITING) {
      return Job.NEVER;
    }
    long limit = Math.min(run.startedAt(), now) + watch.expectMillis();
    if (now < limit) {
      return limit;
    }
    String reason = "still running after " + length(watch.expectMillis());
    tell(job, run, Word.LONG, limit, reason, seen);
    return Job.NEVER;
  }

  /** A limit as it may stand in the file: {@code 26h0m0s}. */
  private static String length(long millis) {
    return GoDuration.format(millis * 1_000_000);
  }

  private void tell(Job job, ActiveRun run, Word word, long atMillis, String reason, Watched seen) {
    if (seen.told.add(run.runId() + word)) {
      notices.noticed(
          job.identity,
          Event.builder(word, atMillis)
              .run(run.runId())
              .period(run.nominal() == CronCalendar.NONE ? Event.NONE : run.nominal())
              .reason(reason)
              .build());
    }
  }
}
