package dev.kron.daemon.jobs;

import dev.kron.daemon.jobs.JobInput.Began;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.JobEvent;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The desk where inputs and requests become events of jobs. Used on the loop's thread only. */
public final class JobDesk {
  private final Clocks clocks;
  private final Timers timers;
  private final Jobs jobs;
  private final JobStops stops;
  private final Forgetting forgetting;

  public JobDesk(LoopTime time, Jobs jobs, JobStops stops, Forgetting forgetting) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.jobs = jobs;
    this.stops = stops;
    this.forgetting = forgetting;
  }

  public void handle(JobInput input) {
    switch (input) {
      case JobInput.HeldUp heldUp -> jobs.heldUp(heldUp.identity(), heldUp.atMillis());
      case JobInput.Happened happened ->
          jobs.happened(happened.identity(), happened.event(), happened.runId());
      case Began began -> began(began);
      case JobInput.Signalled sent -> jobs.endings().signalled(sent.runId(), sent.atBootNanos());
      case JobInput.TooLate late -> tooLate(late.identity(), late.runId());
      case JobInput.Told told -> jobs.notices().told(told.identity(), told.ids());
      case JobInput.Committed committed -> jobs.committed(committed.write(), committed.result());
      case JobInput.Proposed proposed ->
          forgetting.proposed(proposed.wish(), proposed.from(), proposed.event());
    }
  }

  private void began(Began began) {
    if (began.timeoutAtBootNanos() != Began.NO_TIMEOUT) {
      timers.set(
          Endings.timeoutKey(began.runId()),
          began.timeoutAtBootNanos(),
          () ->
              jobs.happened(began.identity(), new JobEvent.TimedOut(began.runId()), began.runId()));
    }
    jobs.happened(began.identity(), began.event(), began.runId());
  }

  private void tooLate(String identity, String runId) {
    if (!jobs.fleet().tooLate(identity, runId)) {
      jobs.happened(identity, jobs.neverBegan(runId), runId);
    }
  }

  /** Takes an operator's request. */
  public void asked(Request.OfJob request, CompletableFuture<Answer> reply) {
    String word = ofTheFleet(request);
    if (word != null) {
      reply.complete(
          new Answer.Refused(
              request.identity() + " is a job of a fleet, where all nodes decide: " + word));
      return;
    }
    switch (request) {
      case Request.Suspend(String identity) -> ask(identity, new JobEvent.Suspended(), reply);
      case Request.Resume(String identity) -> {
        Job job = jobs.find(identity);
        if (job != null && job.suspended()) {
          job.seenSinceMillis = clocks.wallMillis(); // the rule for downtime applies
        }
        ask(identity, new JobEvent.Resumed(), reply);
      }
      case Request.Trigger(String identity) -> ask(identity, jobs.runRequested(), reply);
      case Request.Mute(String identity, long untilMillis) -> {
        Job job = jobs.find(identity);
        if (job == null || job.spec == null) {
          reply.complete(new Answer.Refused("there is no job " + identity));
        } else {
          jobs.notices().mute(identity, untilMillis, reply);
        }
      }
      case Request.EndRuns end -> stops.end(end, reply);
      case Request.Forget(String identity) ->
          forgetting.asked(new Forgetting.Wish(identity, reply));
    }
  }

  /** What to do instead where a request concerns more than this machine; null: it does not. */
  private @Nullable String ofTheFleet(Request.OfJob request) {
    Job job = jobs.find(request.identity());
    if (job == null || job.spec == null || !job.spec.isClaimed()) {
      return null;
    }
    return switch (request) {
      case Request.Suspend _ -> "use kron fleet suspend";
      case Request.Resume _ -> "use kron fleet resume";
      case Request.Trigger _ -> "use kron fleet trigger";
      case Request.Forget _ -> "its periods are in the fleet's database";
      case Request.Mute _, Request.EndRuns _ -> null;
    };
  }

  private void ask(String identity, JobEvent event, CompletableFuture<Answer> reply) {
    Job job = jobs.find(identity);
    if (job == null || job.spec == null) {
      reply.complete(new Answer.Refused("there is no job " + identity));
    } else if (jobs.isClosed()) {
      reply.complete(new Answer.Refused("the daemon is stopping"));
    } else {
      jobs.submit(job, event, reply);
    }
  }
}
