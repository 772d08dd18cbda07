package dev.kron.daemon.jobs;

import dev.kron.job.JobEvent;
import dev.kron.job.JobState;
import dev.kron.store.CommitResult;
import java.util.List;

/** Something that happened to a job outside the loop. */
public sealed interface JobInput {
  /**
   * Something happened to a run.
   *
   * @param runId the run it belongs to, so that late answers are recognised
   */
  record Happened(String identity, String runId, JobEvent event) implements JobInput {}

  /**
   * The fate of a run could not be found out, because of the disk.
   *
   * @param atMillis until when; the loop may hear of it much later
   */
  record HeldUp(String identity, long atMillis) implements JobInput {}

  /**
   * A run has a keeper, started now or found again.
   *
   * @param timeoutAtBootNanos when it has used up its time, {@link #NO_TIMEOUT}: never
   */
  record Began(String identity, String runId, JobEvent.Launched event, long timeoutAtBootNanos)
      implements JobInput {
    public static final long NO_TIMEOUT = Long.MAX_VALUE;
  }

  /**
   * A signal to a run has been sent, or cannot be sent for now and is tried again.
   *
   * @param atBootNanos when; the loop may hear of it much later
   */
  record Signalled(String runId, long atBootNanos) implements JobInput {}

  /** The keeper of a claimed run came after the run's latest moment, and left without a claim. */
  record TooLate(String identity, String runId) implements JobInput {}

  /** The outbox has durably taken over messages that a job owed. */
  record Told(String identity, List<String> ids) implements JobInput {}

  /** A step came back from the disk. */
  record Committed(Write write, CommitResult result) implements JobInput {}

  /**
   * The result of a request to forget, computed beside the loop.
   *
   * @param from the state of the job from which it was computed
   */
  record Proposed(Forgetting.Wish wish, JobState from, JobEvent event) implements JobInput {}
}
