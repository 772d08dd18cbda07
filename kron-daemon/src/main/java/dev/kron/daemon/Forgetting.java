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
  private static final long AGAIN_NANOS = 25_000_000L;
  private static final int MOST_ATTEMPTS = 200;

  private final Clocks clocks;
  private final Timers timers;
  private final Jobs jobs;
  private final Krond.Desk desk;
  private long waiting;

  Forgetting(Clocks clocks, Timers timers, Jobs jobs, Krond.Desk desk) {
    this.clocks = clocks;
    this.timers = timers;
    this.jobs = jobs;
    this.desk = desk;
  }

  /**
   * What somebody wants to be forgotten.
   *
   * @param attempts that came to nothing, because the job moved on
   */
  record Wish(String identity, int attempts, CompletableFuture<Reply> reply) {
    Wish again() {
      return new Wish(identity, attempts + 1, reply);
    }
  }

  void asked(Wish wish) {
    Job job = jobs.find(wish.identity());
    if (job == null || job.spec == null) {
      wish.reply().complete(new Reply.Refused("there is no job " + wish.identity()));
    } else if (wish.attempts() >= MOST_ATTEMPTS) {
      String reason = "what becomes of the runs of " + wish.identity() + " is not settled";
      wish.reply().complete(new Reply.Refused(reason + "; try again when it is"));
    } else if (job.moving != null) {
      later(wish.again());
    } else {
      desk.forget(job.state, clocks.wallMillis(), wish);
    }
  }

  private void later(Wish wish) {
    waiting++;
    timers.set("forget:" + waiting, clocks.bootNanos() + AGAIN_NANOS, () -> asked(wish));
  }

  /** Takes what was worked out from a state of the job, if that is its state still. */
  void proposed(Wish wish, JobState from, JobEvent event) {
    Job job = jobs.find(wish.identity());
    if (job != null && job.spec != null && job.moving == null && job.state.equals(from)) {
      jobs.submit(job, event, wish.reply());
    } else {
      asked(wish.again());
    }
  }
}
