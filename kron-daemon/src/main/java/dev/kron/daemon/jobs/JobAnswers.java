package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.job.JobEvent;
import dev.kron.job.JobState;
import java.util.concurrent.CompletableFuture;

/** Answers to requests that became events of a job. */
final class JobAnswers {
  private JobAnswers() {}

  static void refuse(Job.Waiting waiting, String reason) {
    CompletableFuture<Answer> reply = waiting.reply();
    if (reply != null) {
      reply.complete(new Answer.Refused(reason));
    }
  }

  /** The event and all its consequences are durable. */
  static void done(Job job, Job.Waiting waiting) {
    CompletableFuture<Answer> reply = waiting.reply();
    if (reply == null) {
      return;
    }
    if (waiting.event() instanceof JobEvent.RunRequested request) {
      boolean accepted =
          job.state.active().stream().anyMatch(run -> run.runId().equals(request.runId()));
      reply.complete(
          accepted
              ? new Answer.Done("run " + request.runId(), request.runId())
              : new Answer.Refused(
                  stillActive(job.state) + ", and the job's policy is concurrency=forbid"));
    } else if (waiting.event() instanceof JobEvent.EndRequested request) {
      String runId = request.runId();
      reply.complete(new Answer.Done("stopping " + (runId == null ? job.identity : runId), runId));
    } else {
      reply.complete(new Answer.Done("done", null));
    }
  }

  private static String stillActive(JobState state) {
    return state.active().isEmpty()
        ? "another run was active" // it has ended in the same step
        : "run " + state.active().getFirst().runId() + " is still active";
  }
}
