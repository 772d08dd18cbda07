package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.Writability;
import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The stops of runs, for an operator or because the daemon leaves and takes them along. */
public final class JobStops {
  private final Jobs jobs;
  private final Runs runs;
  private final Clocks clocks;
  private final Writability writability;

  public JobStops(Jobs jobs, Runs runs, Clocks clocks, Writability writability) {
    this.jobs = jobs;
    this.runs = runs;
    this.clocks = clocks;
    this.writability = writability;
  }

  /** Ends one run of a job, or all of them, for an operator. */
  public void end(Request.EndRuns request, CompletableFuture<Answer> reply) {
    Job job = jobs.find(request.identity());
    List<String> meant =
        job == null
            ? List.of()
            : job.state.active().stream()
                .map(ActiveRun::runId)
                .filter(id -> request.runId() == null || request.runId().equals(id))
                .toList();
    boolean waits = job != null && request.runId() == null && job.state.retry() != null;
    if (job == null || (meant.isEmpty() && !waits)) {
      reply.complete(
          new Answer.Refused(
              request.runId() == null
                  ? request.identity() + " has no run that goes on"
                  : "run " + request.runId() + " does not go on"));
      return;
    }
    int signal = request.signal() == null ? 0 : request.signal().number();
    jobs.submit(
        job,
        new JobEvent.EndRequested(request.runId(), request.by(), signal, clocks.wallMillis()),
        reply);
  }

  /**
   * Ends every run within the given time: TERM, grace, KILL. If that cannot be written it is done
   * all the same; the directories of the runs record how they ended.
   */
  public void endAll(Duration within) {
    jobs.end();
    jobs.endings().hurry(within.dividedBy(2).toNanos());
    for (Job job : List.copyOf(jobs.known().values())) {
      for (ActiveRun run : job.state.active()) {
        if (run.ending() != null) {
          jobs.endings().sooner(job, run.runId());
        } else if (!writability.isWritable() && run.phase() != Phase.WAITING) {
          jobs.endings().begin(job, run.runId());
        }
      }
      if (!job.state.active().isEmpty() || job.moving != null) {
        jobs.submit(job, new JobEvent.StopRequested(clocks.wallMillis()), null);
      }
    }
  }

  /** Sends KILL to every run: the time is up. */
  public void killAll() {
    for (Job job : List.copyOf(jobs.known().values())) {
      job.state.active().forEach(run -> jobs.endings().kill(job, run.runId()));
    }
  }

  /** Whether no run has a process left, as far as can be known while state cannot be written. */
  public boolean isAtRest() {
    return writability.isWritable() ? !jobs.anyActive() : runs.going().isEmpty();
  }

  /** Runs that go on, or may. */
  public List<String> left() {
    return runs.left();
  }
}
