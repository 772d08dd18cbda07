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
   * What became of a run of this job could not be found out: the disk did not allow it.
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

  /** Messages that a job owed were taken over, durably. */
  record Told(String identity, List<String> ids) implements JobInput {}

  /** A step came back from the disk. */
  record Committed(Write write, CommitResult result) implements JobInput {}

  /**
   * What an operator wants to be forgotten was worked out elsewhere.
   *
   * @param from the state of the job from which it was
   */
  record Proposed(Forgetting.Wish wish, JobState from, JobEvent event) implements JobInput {}
}
