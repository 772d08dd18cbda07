package dev.kron.job;

import dev.kron.job.JobEvent.Exited;
import dev.kron.job.JobEvent.LinkDue;
import dev.kron.job.JobEvent.RetryDue;
import dev.kron.job.Reason.Cause;
import dev.kron.schedule.Policy;

/** The part of {@link JobMachine} for runs that follow others: attempts, and links of chains. */
final class FollowingRuns {
  private static final String FORGOTTEN =
      "the job's state was lost after the success that it follows: it may have run";

  private FollowingRuns() {}

  static void retryDue(Draft draft, RunRules rules, RetryDue due) {
    Retry waits = draft.retry;
    if (waits == null) {
      return; // told twice
    }
    boolean another =
        !draft.active.isEmpty() && rules.policy().concurrency() != Policy.Concurrency.ALLOW;
    boolean wanted = !draft.suspended && !rules.policy().suspend();
    if (!wanted || another || JobMachine.late(due.lateSeconds(), rules.retryDeadlineSeconds())) {
      draft.dropRetry();
      return;
    }
    draft.retry = null;
    HistoryEntry failed = waits.failed();
    JobMachine.launchBesideOthers(
        draft,
        ActiveRun.builder(due.runId())
            .nominal(failed.nominal())
            .chosen(failed.chosen())
            .due(due.due())
            .bootId(due.bootId())
            .startedAt(due.at())
            .attempt(waits.attempt())
            .cause(failed.cause())
            .bootPeriod(failed.bootPeriod())
            .build(),
        due.at());
  }

  static void links(Draft draft, Links links) {
    if (!links.equals(draft.links)) {
      draft.links = links;
      draft.changed = true;
    }
  }

  static void linkDue(Draft draft, RunRules rules, LinkDue due) {
    if (draft.links.taken().contains(due.runId())) {
      return; // told again
    }
    links(draft, draft.links.taking(due.runId()));
    long second = Math.floorDiv(due.at(), 1000L);
    var run =
        ActiveRun.builder(due.runId())
            .chosen(second)
            .due(second)
            .bootId(due.bootId())
            .startedAt(due.at())
            .cause(due.owed().cause())
            .build();
    Policy policy = rules.policy();
    if (draft.mayHaveForgotten(due.owed().at(), due.at())) {
      // The run may have been taken, and begun, before what is known of it was lost.
      draft.executed(run, rules, new Exited(due.runId(), null, null, FORGOTTEN, due.at()));
    } else if (draft.suspended || policy.suspend()) {
      Reason why = Reason.of(Cause.SUSPENDED, "the job is suspended");
      draft.settle(run, Outcome.SKIPPED, due.at(), why);
    } else {
      begin(draft, policy, run);
    }
  }

  /** The fleet has decided that it runs; what goes on here is known here alone. */
  static void claimed(Draft draft, Policy policy, ActiveRun run) {
    if (draft.find(run.runId()) == null) {
      begin(draft, policy, run);
    }
  }

  private static void begin(Draft draft, Policy policy, ActiveRun run) {
    if (draft.active.isEmpty()) {
      draft.launch(run);
      return;
    }
    switch (policy.concurrency()) {
      case ALLOW -> JobMachine.launchBesideOthers(draft, run, run.startedAt());
      case FORBID -> {
        Reason why = Reason.stillActive(draft.active.getFirst(), "");
        draft.settle(run, Outcome.SKIPPED, run.startedAt(), why);
      }
      case REPLACE -> JobMachine.replaceWith(draft, run, run.startedAt());
    }
  }
}
