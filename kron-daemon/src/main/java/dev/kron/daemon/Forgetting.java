package dev.kron.daemon;

import dev.kron.daemon.Input.Reply;
import dev.kron.job.JobEvent;
import dev.kron.job.JobState;
import java.util.concurrent.CompletableFuture;

/**
 * {@code kron forget}: what stays handled is worked out elsewhere, from a state of the job. Where
 * the job has moved on meanwhile it is worked out again: a run that has just ended must not be
 * released with the rest. For the loop's thread.
 */
final class Forgetting {
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  private final Clocks clocks;
  private final Timers timers;
  private final Jobs jobs;
  private final Krond.Desk desk;
  private long asked;

  Forgetting(Clocks clocks, Timers timers, Jobs jobs, Krond.Desk desk) {
    this.clocks = clocks;
    this.timers = timers;
    this.jobs = jobs;
    this.desk = desk;
  }

  /** What somebody wants to be forgotten. */
  record Wish(String identity, CompletableFuture<Reply> reply) {}

  void asked(Wish wish) {
    asked++;
    timers.set("forget:" + asked, clocks.bootNanos() + PATIENCE_NANOS, () -> giveUp(wish));
    workOut(wish);
  }

  private static void giveUp(Wish wish) {
    String reason = "what becomes of the runs of " + wish.identity() + " is not settled";
    wish.reply().complete(new Reply.Refused(reason + "; try again when it is"));
  }

  private void workOut(Wish wish) {
    Job job = jobs.find(wish.identity());
    if (wish.reply().isDone()) {
      return; // given up
    }
    if (job == null || job.spec == null) {
      wish.reply().complete(new Reply.Refused("there is no job " + wish.identity()));
    } else if (job.moving != null) {
      job.moving.afterwards.add(() -> workOut(wish));
    } else {
      desk.forget(job.state, clocks.wallMillis(), wish);
    }
  }

  /** Takes what was worked out from a state of the job, if that is its state still. */
  void proposed(Wish wish, JobState from, JobEvent event) {
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
