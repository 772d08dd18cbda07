package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.JobEvent;
import dev.kron.job.JobState;
import java.util.concurrent.CompletableFuture;

/**
 * {@code kron forget}: what stays handled is worked out elsewhere, from a state of the job. Where
 * the job has moved on meanwhile it is worked out again: a run that has just ended must not be
 * released with the rest. For the loop's thread.
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

  /** What has to be read and worked out elsewhere. */
  public interface Desk {
    /** Finds the last period that has to stay handled. Comes back as {@link JobInput.Proposed}. */
    void forget(JobState state, long nowMillis, Wish wish);
  }

  /** What somebody wants to be forgotten. */
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
      return; // given up
    }
    if (job == null || job.spec == null) {
      wish.reply().complete(new Answer.Refused("there is no job " + wish.identity()));
    } else if (job.moving != null) {
      job.moving.afterwards.add(() -> workOut(wish));
    } else {
      desk.forget(job.state, clocks.wallMillis(), wish);
    }
  }

  /** Takes what was worked out from a state of the job, if that is its state still. */
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
