package dev.kron.cli;

import dev.kron.job.Placement;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Schedule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule and the identity it is decided for: a job of a krontab, or two options.
 *
 * @param retry how a run that failed is tried again
 * @param then identities of the jobs that follow each success
 * @param after identities of the jobs that it follows
 * @param on the nodes of a fleet that run it, null: it is no job of a fleet
 */
record ExplainedSubject(
    String identity,
    Schedule schedule,
    RetryPolicy retry,
    List<String> then,
    List<String> after,
    @Nullable Placement on) {
  /** A schedule that belongs to no job; it is ranked like one that any node runs. */
  ExplainedSubject(String identity, Schedule schedule) {
    this(identity, schedule, RetryPolicy.NONE, List.of(), List.of(), Placement.ANY);
  }

  /** Names of jobs, for people. */
  static String names(List<String> identities) {
    return String.join(
        ", ", identities.stream().map(identity -> identity.replaceFirst("^.*:", "")).toList());
  }
}
