package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.Claimed;
import dev.kron.job.JobEvent.EndRequested;
import dev.kron.job.JobEvent.Exited;
import dev.kron.job.JobEvent.Found;
import dev.kron.job.JobEvent.LaunchFailed;
import dev.kron.job.JobEvent.Launched;
import dev.kron.job.JobEvent.LinkDue;
import dev.kron.job.JobEvent.LinkPaid;
import dev.kron.job.JobEvent.LinksSettled;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PastDropped;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobEvent.Recovered;
import dev.kron.job.JobEvent.Released;
import dev.kron.job.JobEvent.Resumed;
import dev.kron.job.JobEvent.RetryDropped;
import dev.kron.job.JobEvent.RetryDue;
import dev.kron.job.JobEvent.RunRequested;
import dev.kron.job.JobEvent.StopRequested;
import dev.kron.job.JobEvent.Suspended;
import dev.kron.job.JobEvent.TimedOut;
import dev.kron.job.JobEvent.Unendable;
import dev.kron.job.Reason.Cause;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Policy;

/**
 * The meaning of an event for a job. Pure: the same state, policy and event give the same step, and
 * nothing outside has been touched.
 *
 * <p>A job is <i>idle</i> (no active run), <i>busy</i> (runs, none waiting) or <i>replacing</i> (a
 * run waits for others to end); an idle or busy one may also <i>wait to try again</i>. Transitions:
 *
 * <pre>
 * idle       PeriodDue      → busy       intent, Launch
 *                           → idle       missed (late beyond the deadline), unschedulable
 *            RunRequested   → busy       intent, Launch
 * busy       PeriodDue      → busy       skipped (forbid), intent and Launch (allow), missed, unschedulable
 *                           → replacing  waits, the others are ended (replace)
 *            RunRequested   → busy       refused (forbid), intent and Launch (allow)
 *                           → replacing  (replace)
 *            Launched       → busy       the keeper's pid
 *            Exited         → idle/busy  executed; the wait for another attempt, where one is left
 *            LaunchFailed   → idle/busy  executed, with stage and reason
 *            NeverBegan     → busy       a new intent, once, where the deadline allows
 *                           → idle/busy  missed, skipped (another runs, and the policy forbids it now)
 *            TimedOut       → busy       End
 * replacing  Exited         → busy       executed; when it was the last, the waiting run is intended, Launch
 *            PeriodDue      → replacing  the waiting run gives way to the new one: skipped
 *                           → busy       both are launched, where the policy has become allow
 *            Unendable      → busy       the waiting run is missed
 * waiting    RetryDue       → busy       intent, Launch
 *                           → same       dropped: late, or another runs and the policy is not allow
 *            PeriodDue, Suspended, Released, PastDropped, RetryDropped, EndRequested of all runs,
 *            a manual run's success → the wait ends, whatever else they mean
 * any        Claimed        as RunRequested, but skipped on record where the policy forbids it
 * any        LinkDue        as RunRequested, but skipped on record where the policy forbids it
 *            LinkPaid, LinksSettled → same
 *            Found          → same       on record
 * any        Recovered      → same       End again what was being ended, Launch what need not wait
 *            StopRequested  → same       End all; a waiting run is missed
 *            EndRequested   → same       End those that are meant; a waiting one is skipped
 *            Suspended, Resumed, PastDropped, Released → same
 * </pre>
 *
 * <p>What happens to a run that the job does not know (any more), or that still waits, means
 * nothing; a suspended job's periods mean nothing. {@code docs/job-machine.md} is drawn from the
 * tests and has every pair of state and event.
 *
 * <p>Two rules hold everything together. A period at or before the last handled one, or in an
 * active run, is handled for ever: {@link JobState#handled()}. And {@code lastHandled} never goes
 * back (but by {@link Released}, which an operator asks for): the end of an older run clears its
 * entry and adds to the history, nothing more.
 */
public final class JobMachine {
  private JobMachine() {}

  public static Step step(JobState state, RunRules rules, JobEvent event) {
    var draft = new Draft(state);
    Policy policy = rules.policy();
    switch (event) {
      case PeriodDue due -> periodDue(draft, rules, due);
      case RetryDue due -> FollowingRuns.retryDue(draft, rules, due);
      case RetryDropped() -> draft.dropRetry();
      case LinkDue due -> FollowingRuns.linkDue(draft, rules, due);
      case LinkPaid paid -> FollowingRuns.links(draft, draft.links.without(paid.owed()));
      case LinksSettled settled ->
          FollowingRuns.links(draft, draft.links.forgetting(settled.runIds()));
      case RunRequested request -> runRequested(draft, policy, request);
      case Claimed claimed -> FollowingRuns.claimed(draft, policy, claimed.run());
      case Found(HistoryEntry entry) -> draft.found(entry);
      case Launched launched -> launched(draft, launched);
      case LaunchFailed failed -> launchFailed(draft, rules, failed);
      case Exited exited -> exited(draft, rules, exited);
      case NeverBegan neverBegan -> neverBegan(draft, rules, neverBegan);
      case TimedOut timedOut -> end(draft, timedOut.runId(), Ending.TIMED_OUT);
      case Unendable unendable -> unendable(draft, unendable);
      case Recovered recovered -> recovered(draft, recovered);
      case StopRequested stop -> stopRequested(draft, stop);
      case EndRequested request -> endRequested(draft, request);
      case Suspended() -> {
        draft.suspended = true;
        draft.dropRetry();
      }
      case Resumed() -> draft.suspended = false;
      case PastDropped dropped ->
          draft.dropPast(dropped.fingerprint(), dropped.since(), dropped.lost());
      case Released released -> released(draft, released);
    }
    return draft.toStep();
  }

  private static void periodDue(Draft draft, RunRules rules, PeriodDue due) {
    Policy policy = rules.policy();
    if (isHandled(draft, due)) {
      return; // for ever, whatever the clock does
    }
    if (draft.suspended || policy.suspend()) {
      return; // records nothing; on resuming the rule for downtime applies
    }
    draft.dropRetry(); // whatever becomes of this one
    if (due.chosen() == CronCalendar.NONE) {
      Reason none = Reason.of(Cause.NO_CANDIDATE, Decision.whyUnschedulable(rules.exact()));
      draft.settle(due, Outcome.UNSCHEDULABLE, none);
      return;
    }
    if (late(due.lateSeconds(), policy.deadlineSeconds())) {
      draft.settle(
          due, Outcome.MISSED, Reason.late(due.lateSeconds(), policy.deadlineSeconds(), ""));
      return;
    }
    ActiveRun run =
        intent(due.runId(), due.nominal(), due.chosen(), due.due(), due.bootId(), due.at())
            .toBuilder()
            .bootPeriod(due.bootPeriod())
            .build();
    if (draft.active.isEmpty()) {
      draft.launch(run);
      return;
    }
    switch (policy.concurrency()) {
      case ALLOW -> launchBesideOthers(draft, run, due.at());
      case FORBID ->
          draft.settle(due, Outcome.SKIPPED, Reason.stillActive(draft.active.getFirst(), ""));
      case REPLACE -> replaceWith(draft, run, due.at());
    }
  }

  private static boolean isHandled(Draft draft, PeriodDue due) {
    return due.bootPeriod() == null
        ? due.nominal() <= draft.handled() || draft.begunAhead.contains(due.nominal())
        : JobState.handled(due.bootPeriod(), draft.boots, draft.active);
  }

  private static void runRequested(Draft draft, Policy policy, RunRequested request) {
    if (draft.find(request.runId()) != null) {
      return; // told twice
    }
    long second = Math.floorDiv(request.at(), 1000L);
    ActiveRun run =
        intent(request.runId(), CronCalendar.NONE, second, second, request.bootId(), request.at());
    if (draft.active.isEmpty()) {
      draft.launch(run);
      return;
    }
    switch (policy.concurrency()) {
      case ALLOW -> launchBesideOthers(draft, run, request.at());
      case FORBID -> {} // whoever asked looks for the run and is told what is still active
      case REPLACE -> replaceWith(draft, run, request.at());
    }
  }

  /**
   * Launches a run beside active ones. If a run was waiting when the policy became allow, the
   * waiting one goes first.
   */
  static void launchBesideOthers(Draft draft, ActiveRun run, long at) {
    draft.launchWaitingBesideOthers(at);
    draft.launch(run);
  }

  static void replaceWith(Draft draft, ActiveRun run, long at) {
    for (ActiveRun other : draft.runs()) {
      if (other.phase() == Phase.WAITING) {
        draft.remove(other);
        draft.settle(
            other, Outcome.SKIPPED, at, Reason.of(Cause.REPLACED, "replaced before it began"));
      } else {
        end(draft, other.runId(), Ending.REPLACED);
      }
    }
    draft.active.add(run.withPhase(Phase.WAITING));
    draft.changed = true;
  }

  private static void launched(Draft draft, Launched launched) {
    ActiveRun run = draft.begun(launched.runId());
    if (run != null) {
      draft.replace(run, run.started(launched.pid(), launched.startTicks()));
    }
  }

  private static void launchFailed(Draft draft, RunRules rules, LaunchFailed failed) {
    ActiveRun run = draft.begun(failed.runId());
    if (run != null) {
      draft.remove(run);
      draft.notStarted(run, rules, failed);
      draft.launchWaiting(failed.at());
    }
  }

  private static void exited(Draft draft, RunRules rules, Exited exited) {
    ActiveRun run = draft.begun(exited.runId());
    if (run == null) {
      return; // told twice: by the keeper's record and by its end
    }
    draft.remove(run);
    draft.executed(run, rules, exited);
    draft.launchWaiting(exited.at());
  }

  private static void neverBegan(Draft draft, RunRules rules, NeverBegan neverBegan) {
    ActiveRun run = draft.begun(neverBegan.runId());
    if (run == null) {
      return;
    }
    boolean hasNone = run.attempt() == 1 && (run.cause() != null || run.bootPeriod() != null);
    long deadline =
        hasNone
            ? Long.MAX_VALUE
            : run.attempt() > 1 ? rules.retryDeadlineSeconds() : rules.policy().deadlineSeconds();
    draft.remove(run);
    if (rules.fleet()) {
      Reason why = Reason.of(Cause.RESTARTED, "its node stopped between claim and start");
      draft.settle(run, Outcome.MISSED, neverBegan.at(), why);
      draft.launchWaiting(neverBegan.at());
    } else if (run.endedBy() != null) {
      stoppedBeforeItBegan(draft, run, run.endedBy(), neverBegan.at());
      draft.launchWaiting(neverBegan.at());
    } else if (run.ending() != null) {
      Reason why = Reason.of(Reason.cause(run), "ended before it began");
      draft.settle(run, Outcome.MISSED, neverBegan.at(), why);
      draft.launchWaiting(neverBegan.at());
    } else if (late(neverBegan.lateSeconds(), deadline)) {
      Reason why = Reason.late(neverBegan.lateSeconds(), deadline, "never began; ");
      draft.settle(run, Outcome.MISSED, neverBegan.at(), why);
      draft.launchWaiting(neverBegan.at());
    } else if (rules.policy().concurrency() != Policy.Concurrency.ALLOW && draft.anyBegun()) {
      // Both runs were intended while the policy allowed that, or under an earlier schedule.
      Reason why = Reason.stillActive(draft.active.getFirst(), "never began; ");
      draft.settle(run, Outcome.SKIPPED, neverBegan.at(), why);
    } else {
      draft.launch(run.again(neverBegan.newRunId(), neverBegan.bootId(), neverBegan.at()));
    }
  }

  private static void end(Draft draft, String runId, Ending ending) {
    ActiveRun run = draft.begun(runId);
    if (run != null && run.ending() == null) {
      draft.replace(run, run.withEnding(ending, null));
      draft.effects.add(new JobEffect.End(runId, ending));
    }
  }

  private static void unendable(Draft draft, Unendable unendable) {
    if (draft.begun(unendable.runId()) == null) {
      return;
    }
    for (ActiveRun run : draft.runs()) {
      if (run.phase() == Phase.WAITING) {
        draft.remove(run);
        draft.settle(
            run,
            Outcome.MISSED,
            unendable.at(),
            Reason.of(
                Cause.UNENDABLE,
                "run " + unendable.runId() + ", which it replaces, could not be ended"));
      }
    }
  }

  private static void recovered(Draft draft, Recovered recovered) {
    for (ActiveRun run : draft.runs()) {
      if (run.phase() == Phase.WAITING && !run.bootId().equals(recovered.bootId())) {
        draft.remove(run);
        draft.settle(
            run,
            Outcome.MISSED,
            recovered.at(),
            Reason.of(Cause.RESTARTED, "the machine was restarted before it began"));
      } else if (run.ending() != null && run.bootId().equals(recovered.bootId())) {
        draft.effects.add(new JobEffect.End(run.runId(), run.ending()));
      }
    }
    draft.launchWaiting(recovered.at());
  }

  private static void stopRequested(Draft draft, StopRequested stop) {
    for (ActiveRun run : draft.runs()) {
      if (run.phase() == Phase.WAITING) {
        draft.remove(run);
        draft.settle(
            run,
            Outcome.MISSED,
            stop.at(),
            Reason.of(Cause.STOPPED, "the daemon was stopped before it began"));
      } else {
        end(draft, run.runId(), Ending.STOPPED);
      }
    }
  }

  private static void endRequested(Draft draft, EndRequested request) {
    if (request.runId() == null) {
      draft.dropRetry();
    }
    for (ActiveRun run : draft.runs()) {
      if (request.runId() != null && !request.runId().equals(run.runId())) {
        continue;
      }
      if (run.phase() == Phase.WAITING) {
        draft.remove(run);
        stoppedBeforeItBegan(draft, run, request.by(), request.at());
        continue;
      }
      if (run.ending() == null) {
        draft.replace(run, run.withEnding(Ending.STOPPED, request.by()));
      }
      // Runs that are being ended are signalled again: the new request may name another signal.
      draft.effects.add(new JobEffect.End(run.runId(), Ending.STOPPED, request.signal()));
    }
  }

  private static void stoppedBeforeItBegan(Draft draft, ActiveRun run, String by, long at) {
    Reason why = Reason.of(Cause.STOPPED_BY_OPERATOR, "stopped by " + by + " before it began");
    draft.settle(run, Outcome.SKIPPED, at, why);
  }

  private static void released(Draft draft, Released released) {
    draft.dropRetry();
    boolean byTime = draft.boots.isEmpty();
    boolean back = byTime && draft.lastOutcome != null && released.nominal() < draft.lastHandled;
    if (!back && released.since() >= draft.since) {
      return; // nothing ahead of the clock holds it
    }
    if (back) {
      draft.release(released);
    }
    draft.keepBegun(released.begunAhead());
    // The start moves in any case, so that periods missed while the job was held do not run in a
    // burst.
    draft.since = released.since();
    draft.changed = true;
  }

  private static ActiveRun intent(
      String runId, long nominal, long chosen, long due, String bootId, long at) {
    return ActiveRun.builder(runId)
        .nominal(nominal)
        .chosen(chosen)
        .due(due)
        .bootId(bootId)
        .startedAt(at)
        .build();
  }

  static boolean late(long lateSeconds, long deadlineSeconds) {
    return lateSeconds != PeriodDue.SEEN && lateSeconds > deadlineSeconds;
  }
}
