package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.job.Periods;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The preparer of runs. It looks a few seconds ahead and has the keepers of a busy second started,
 * so that only the intents have to be made durable in that second. It decides nothing: the job's
 * machine says whether a run begins, when its second has come, and a run that was prepared in vain
 * never began.
 *
 * <p>A prepared run costs two waiting processes, which it would need a moment later anyway.
 */
final class RunPreparer {
  /** How long before its second a run is made ready. */
  static final long SECONDS = 10;

  /** The number of runs that make a second busy. */
  static final int BUSY = 4;

  /** The number of runs that make a crowd, which is prepared earlier. */
  private static final int CROWD = 2_000;

  static final long CROWD_SECONDS = 50;

  /** How often to look for a crowd. */
  private static final long CROWD_LOOK_SECONDS = 5;

  /**
   * The most runs that are prepared at once; fewer if there is no room. All others are started
   * without.
   */
  private static final int LIMIT = 10_000;

  /** How long after its second a prepared run is kept that did not begin. */
  private static final long KEPT_SECONDS = 30;

  private final Runs runs;
  private final NewRuns newRuns;
  private final Map<String, Ready> ready = new HashMap<>();
  private final Horizon crowds = new Horizon(CROWD_SECONDS, CROWD);
  private final Horizon busy = new Horizon(SECONDS, BUSY);

  /** How far ahead to look for seconds with that many runs. */
  private static final class Horizon {
    final long seconds;
    final int least;
    long looked = Long.MIN_VALUE;

    Horizon(long seconds, int least) {
      this.seconds = seconds;
      this.least = least;
    }
  }

  private record Ready(String runId, JobSpec spec, long nominal, long due) {}

  RunPreparer(Runs runs, NewRuns newRuns) {
    this.runs = runs;
    this.newRuns = newRuns;
  }

  /**
   * @param seenSince since when the daemon has been there without an absence, wall clock
   */
  void look(long nowMillis, long seenSince, DueQueue queue) {
    long now = Math.floorDiv(nowMillis, 1000L);
    if (now + SECONDS <= busy.looked) {
      return;
    }
    expire(now);
    look(now, seenSince, queue, crowds);
    look(now, seenSince, queue, busy);
  }

  private void look(long now, long seenSince, DueQueue queue, Horizon horizon) {
    long until = now + horizon.seconds;
    List<Job> due = queue.dueWithin(Math.max(horizon.looked + 1, now + 1), until);
    horizon.looked = until;
    Map<Long, Integer> counts = new HashMap<>();
    due.forEach(job -> counts.merge(job.dueAt, 1, Integer::sum));
    due.removeIf(
        job ->
            counts.getOrDefault(job.dueAt, 0) < horizon.least || ready.containsKey(job.identity));
    if (due.isEmpty()) {
      return;
    }
    int limit = Math.min(LIMIT, ready.size() + runs.room(ready.size()));
    for (Job job : due) {
      if (ready.size() < limit) {
        makeReady(job, seenSince);
      }
    }
  }

  private void makeReady(Job job, long seenSince) {
    JobSpec spec = job.spec;
    if (spec == null || !job.state.active().isEmpty() || startsLate(spec)) {
      return;
    }
    Periods.Next next = Periods.next(spec.schedule(), job.state, seenSince);
    if (next == null || next.due() != job.dueAt || next.chosen() == CronCalendar.NONE) {
      return;
    }
    var one = new Ready(newRuns.nextId(), spec, next.nominal(), next.due());
    ready.put(job.identity, one);
    runs.prepare(
        spec,
        ActiveRun.builder(one.runId())
            .nominal(next.nominal())
            .chosen(next.chosen())
            .due(next.due())
            .bootId(newRuns.bootId())
            .startedAt(next.due() * 1000L)
            .build());
  }

  /**
   * Whether a run depends on the moment of its start, and so cannot be prepared: the name of a file
   * may hold it, a file with variables is read then, and a timeout counts from the kernel's start
   * time of the process.
   */
  private static boolean startsLate(JobSpec spec) {
    return spec.timeout() != null
        || spec.envfile() != null
        || spec.profile() != null
        || spec.stdin() instanceof JobSpec.Input.File
        || spec.stdout() instanceof JobSpec.Output.File
        || spec.stderr() instanceof JobSpec.Output.File;
  }

  /** The id of the run of a period that is due now: that of the prepared run, or a new one. */
  String runId(Job job, long nominal) {
    Ready one = ready.remove(job.identity);
    if (one == null) {
      return newRuns.nextId();
    }
    if (one.nominal() == nominal && one.spec().equals(job.spec)) {
      return one.runId();
    }
    runs.discard(one.runId());
    return newRuns.nextId();
  }

  /** The wall-clock second at which to look next, if something is due at {@code due}. */
  long nextLook(long due, long nowMillis) {
    long now = Math.floorDiv(nowMillis, 1000L);
    if (due > crowds.looked) {
      return Math.max(due - CROWD_SECONDS, now + 1);
    }
    return due > busy.looked
        ? Math.max(Math.min(due - SECONDS, now + CROWD_LOOK_SECONDS), now + 1)
        : now + 1;
  }

  private void expire(long now) {
    ready
        .values()
        .removeIf(
            one -> {
              boolean over = one.due() + KEPT_SECONDS < now;
              if (over) {
                runs.discard(one.runId());
              }
              return over;
            });
  }

  /** Drops all prepared runs, because the files or the clock have changed. */
  void letGo() {
    ready.values().forEach(one -> runs.discard(one.runId()));
    ready.clear();
    crowds.looked = Long.MIN_VALUE;
    busy.looked = Long.MIN_VALUE;
  }
}
