package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.JobEvent;
import dev.kron.job.JobState;
import java.util.concurrent.CompletableFuture;

/**
 * {@code kron forget}. The periods that stay handled are computed beside the loop, from a state of
 * the job. If the job's state has changed meanwhile, they are computed again, so that a run that
 * has just ended is not released with the rest. Used on the loop's thread only.
 */
public final class Forgetting {
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  private final Clocks clocks;
  private final Timers timers;
  private final Jobs jobs;
  private final Desk desk;
  private long asked;

  public Forgetting(LoopTime time, Jobs jobs, Desk desk) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.jobs = jobs;
    this.desk = desk;
  }

  /** The work beside the loop. */
  public interface Desk {
    /** Finds the last period that has to stay handled. Comes back as {@link JobInput.Proposed}. */
    void forget(JobState state, long nowMillis, Wish wish);
  }

  /** A request to forget a job's periods. */
  public record Wish(String identity, CompletableFuture<Answer> reply) {}

  public void asked(Wish wish) {
    asked++;
    timers.set("forget:" + asked, clocks.bootNanos() + PATIENCE_NANOS, () -> giveUp(wish));
    workOut(wish);
  }

  private static void giveUp(Wish wish) {
    String reason = "what becomes of the runs of " + wish.identity() + " is not settled";
    wish.reply().complete(new Answer.Refused(reason + "; try again when it is"));
  }

  private void workOut(Wish wish) {
    Job job = jobs.find(wish.identity());
    if (wish.reply().isDone()) {
      return; // shut down
    }
    if (job == null || job.spec == null) {
      wish.reply().complete(new Answer.Refused("there is no job " + wish.identity()));
    } else if (job.moving != null) {
      job.moving.afterwards.add(() -> workOut(wish));
    } else {
      desk.forget(job.state, clocks.wallMillis(), wish);
    }
  }

  /** Takes a result that was computed from a state of the job, if the job still has that state. */
  public void proposed(Wish wish, JobState from, JobEvent event) {
    Job job = jobs.find(wish.identity());
    if (job != null
        && job.spec != null
        && job.moving == null
        && job.state.equals(from)
        && !wish.reply().isDone()) {
      jobs.submit(job, event, wish.reply());
    } else {
      workOut(wish);
    }
  }
}
