package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.LinkDue;
import dev.kron.job.JobEvent.RetryDue;
import dev.kron.job.Reason.Cause;
import dev.kron.schedule.Policy;

/** The part of {@link JobMachine} for runs that follow others: attempts, and links of chains. */
final class FollowingRuns {
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
        new ActiveRun(
            due.runId(),
            failed.nominal(),
            failed.chosen(),
            due.due(),
            Phase.INTENDED,
            null,
            due.bootId(),
            0,
            0,
            due.at(),
            null,
            waits.attempt(),
            failed.cause()),
        due.at());
  }

  static void links(Draft draft, Links links) {
    if (!links.equals(draft.links)) {
      draft.links = links;
      draft.changed = true;
    }
  }

  static void linkDue(Draft draft, Policy policy, LinkDue due) {
    if (draft.links.taken().contains(due.runId())) {
      return; // told again
    }
    links(draft, draft.links.taking(due.runId()));
    long second = Math.floorDiv(due.at(), 1000L);
    var run =
        new ActiveRun(
            due.runId(),
            CronCalendar.NONE,
            second,
            second,
            Phase.INTENDED,
            null,
            due.bootId(),
            0,
            0,
            due.at(),
            null,
            1,
            due.owed().cause());
    if (draft.suspended || policy.suspend()) {
      Reason why = Reason.of(Cause.SUSPENDED, "the job is suspended");
      draft.settle(run, Outcome.SKIPPED, due.at(), why);
    } else if (draft.active.isEmpty()) {
      draft.launch(run);
    } else {
      switch (policy.concurrency()) {
        case ALLOW -> JobMachine.launchBesideOthers(draft, run, due.at());
        case FORBID -> {
          Reason why = Reason.stillActive(draft.active.getFirst(), "");
          draft.settle(run, Outcome.SKIPPED, due.at(), why);
        }
        case REPLACE -> JobMachine.replaceWith(draft, run, due.at());
      }
    }
  }
}
