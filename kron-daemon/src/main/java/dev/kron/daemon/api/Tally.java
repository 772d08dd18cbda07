package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The counts of one pass over all jobs: how many in which state, what runs, what is next. */
final class Tally {
  private final Snapshot snapshot;
  private final int limit;
  private int suspended;
  private int active;
  private int held;
  private int retrying;
  private long nextDue = JobView.NEVER;

  /** The next jobs, latest first, so that the latest is dropped when an earlier one comes. */
  private final PriorityQueue<JobView> next =
      new PriorityQueue<>(Comparator.comparingLong(JobView::dueAt).reversed());

  record Running(JobView job, ActiveRun run) {}

  private final List<Running> running = new ArrayList<>();

  Tally(Snapshot snapshot, int limit) {
    this.snapshot = snapshot;
    this.limit = limit;
    for (JobView job : snapshot.jobs()) {
      count(job);
    }
    running.sort(Comparator.comparingLong(it -> it.run().startedAt()));
  }

  private void count(JobView job) {
    if (job.suspended()) {
      suspended++;
    }
    for (ActiveRun run : job.state().active()) {
      active++;
      running.add(new Running(job, run));
    }
    if (job.state().retry() != null) {
      retrying++;
    }
    if (Shapes.heldUntil(job, snapshot.wallMillis()) != CronCalendar.NONE) {
      held++;
    }
    nextDue = Math.min(nextDue, job.dueAt());
    if (job.dueAt() != JobView.NEVER && limit > 0) {
      if (next.size() < limit) {
        next.add(job);
      } else if (job.dueAt() < next.element().dueAt()) {
        next.remove();
        next.add(job);
      }
    }
  }

  Snapshot snapshot() {
    return snapshot;
  }

  int suspended() {
    return suspended;
  }

  int active() {
    return active;
  }

  int held() {
    return held;
  }

  int retrying() {
    return retrying;
  }

  /** The running jobs, longest first, as many as wanted. */
  List<Running> running() {
    return running.subList(0, Math.min(limit, running.size()));
  }

  /** The jobs that are due next, soonest first, as many as wanted. */
  List<JobView> soonest() {
    var soonest = new ArrayList<>(next);
    soonest.sort(Comparator.comparingLong(JobView::dueAt).thenComparing(JobView::identity));
    return soonest;
  }

  /** The soonest second, {@link JobView#NEVER}: none. */
  long nextDue() {
    return nextDue;
  }

  void write(JsonWriter json, Control control) throws IOException {
    json.name("jobs").beginObject();
    json.member("total", snapshot.jobs().size());
    json.member("suspended", suspended);
    json.member("held", held);
    json.member("activeRuns", active);
    json.endObject();
    json.name("running").beginArray();
    for (Running one : running()) {
      Shapes.active(json, control, one.job().identity(), one.run());
    }
    json.endArray();
    json.name("next").beginArray();
    for (JobView job : soonest()) {
      json.beginObject();
      json.member("identity", job.identity());
      json.member("name", job.name());
      json.second("due", job.dueAt());
      json.endObject();
    }
    json.endArray();
  }
}
