package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.job.Periods;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks a few seconds ahead and has the runs of a busy second made ready, so that what is left to
 * do in that second is to make their intents durable and let them begin. Nothing is decided here:
 * whether a run begins, the job's machine says when its second has come, and a run that was made
 * ready for nothing never began.
 *
 * <p>A run that is ready costs two waiting processes, which it would need a moment later anyway.
 */
final class RunPreparer {
  /** How long before its second a run is made ready. */
  static final long SECONDS = 10;

  /** A second with fewer runs is not busy. */
  static final int BUSY = 4;

  /** A crowd takes longer: a second with so many runs is made ready this long before. */
  private static final int CROWD = 2_000;

  static final long CROWD_SECONDS = 50;

  /** How often to look whether one is coming. */
  private static final long CROWD_LOOK_SECONDS = 5;

  /** So many wait at once, or fewer where there is no room; the others are started without. */
  private static final int LIMIT = 10_000;

  /** After its second a run that did not begin is let go. */
  private static final long KEPT_SECONDS = 30;

  private final Runs runs;
  private final NewRuns newRuns;
  private final Map<String, Ready> ready = new HashMap<>();
  private final Horizon crowds = new Horizon(CROWD_SECONDS, CROWD);
  private final Horizon busy = new Horizon(SECONDS, BUSY);

  /** So far ahead seconds with so many runs are looked for. */
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
   * @param seenSince since when everything was seen, wall clock
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
   * What depends on the moment of the start cannot be made ready: the name of a file may hold it, a
   * file with variables is read then, and a timeout counts from when the kernel says that the
   * process began.
   */
  private static boolean startsLate(JobSpec spec) {
    return spec.timeout() != null
        || spec.envfile() != null
        || spec.profile() != null
        || spec.stdin() instanceof JobSpec.Input.File
        || spec.stdout() instanceof JobSpec.Output.File
        || spec.stderr() instanceof JobSpec.Output.File;
  }

  /** The id of the run of a period that is due now: the one that is ready, or a new one. */
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

  /** When to look next: a wall-clock second, given that something is due at {@code due}. */
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

  /** All prepared runs are let go: the files or the clock have changed. */
  void letGo() {
    ready.values().forEach(one -> runs.discard(one.runId()));
    ready.clear();
    crowds.looked = Long.MIN_VALUE;
    busy.looked = Long.MIN_VALUE;
  }
}
