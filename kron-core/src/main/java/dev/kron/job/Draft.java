package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.Reason.Cause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The state that a step is turning into, with what goes along. Lives for one step. */
final class Draft {
  /** So many boots are remembered: more than can have runs at a time. */
  private static final int MOST_BOOTS = 8;

  private final JobState before;
  final List<ActiveRun> active;
  final List<HistoryEntry> history = new ArrayList<>(1);
  final List<JobEffect> effects = new ArrayList<>(2);
  long lastHandled;
  @Nullable Outcome lastOutcome;
  long lastChosen;
  long since;
  boolean suspended;
  boolean changed;
  List<Long> begunAhead;
  @Nullable Retry retry;
  Links links;
  List<String> boots;
  private String fingerprint;
  private boolean pastLost;

  Draft(JobState before) {
    this.before = before;
    this.active = new ArrayList<>(before.active());
    this.lastHandled = before.lastHandled();
    this.lastOutcome = before.lastOutcome();
    this.lastChosen = before.lastChosen();
    this.since = before.since();
    this.suspended = before.suspended();
    this.fingerprint = before.fingerprint();
    this.pastLost = before.pastLost();
    this.begunAhead = before.begunAhead();
    this.retry = before.retry();
    this.links = before.links();
    this.boots = before.boots();
  }

  long handled() {
    return JobState.handled(lastHandled, active);
  }

  /** The runs as they are now, safe to change while going through them. */
  List<ActiveRun> runs() {
    return List.copyOf(active);
  }

  /** The run with this id, unless it waits: nothing can have happened to that one yet. */
  @Nullable ActiveRun begun(String runId) {
    ActiveRun run = find(runId);
    return run == null || run.phase() == Phase.WAITING ? null : run;
  }

  @Nullable ActiveRun find(String runId) {
    for (ActiveRun run : active) {
      if (run.runId().equals(runId)) {
        return run;
      }
    }
    return null;
  }

  void remove(ActiveRun run) {
    active.remove(run);
    changed = true;
  }

  void replace(ActiveRun run, ActiveRun by) {
    if (!by.equals(run)) {
      active.set(active.indexOf(run), by);
      changed = true;
    }
  }

  void launch(ActiveRun run) {
    active.add(run);
    effects.add(new JobEffect.Launch(run));
    changed = true;
  }

  /** The run that waits for the others to end. */
  @Nullable ActiveRun waiting() {
    for (ActiveRun run : active) {
      if (run.phase() == Phase.WAITING) {
        return run;
      }
    }
    return null;
  }

  /** Intends the run that waits, once nothing is left to wait for. */
  void launchWaiting(long at) {
    if (active.size() == 1) {
      launchWaitingBesideOthers(at);
    }
  }

  /** Intends the run that waits, though others go on. */
  void launchWaitingBesideOthers(long at) {
    ActiveRun waiting = waiting();
    if (waiting != null) {
      active.remove(waiting);
      launch(waiting.intended(at));
    }
  }

  void dropPast(String fingerprint, long since, boolean lost) {
    if (!lost && fingerprint.equals(this.fingerprint)) {
      return; // told twice: the past was dropped when the change was first noticed
    }
    boolean lostBefore = before.pastLostStillMatters(since);
    this.fingerprint = fingerprint;
    this.since = lostBefore ? Math.max(this.since, since) : since;
    this.pastLost = lost || lostBefore;
    changed = true;
    dropRetry();
  }

  /** Nothing is tried again: now somebody is told of what failed. */
  void dropRetry() {
    Retry waits = retry;
    if (waits != null) {
      retry = null;
      changed = true;
      effects.add(new JobEffect.Alert(waits.failed()));
    }
  }

  /** Tries again what has just failed, in place of anything that waited before. */
  private void retry(HistoryEntry failed, RetryPolicy policy) {
    dropRetry();
    long delay = policy.delayMillis(before.identity(), Retry.key(failed), failed.attempt());
    retry = new Retry(failed, failed.completedAt() + delay, fingerprint);
    changed = true;
  }

  /** The end of a period of which nothing was started. */
  void settle(PeriodDue due, Outcome outcome, Reason why) {
    handle(due.nominal(), due.bootPeriod(), outcome, due.chosen());
    record(
        HistoryEntry.builder(due.nominal(), outcome)
            .bootPeriod(due.bootPeriod())
            .chosen(due.chosen())
            .completedAt(due.at())
            .why(why)
            .build());
  }

  /** Whether a run has begun, or is about to. */
  boolean anyBegun() {
    return active.stream().anyMatch(run -> run.phase() != ActiveRun.Phase.WAITING);
  }

  /** The end of a run that was executed, and perhaps the wait for another attempt. */
  void executed(ActiveRun run, RunRules rules, JobEvent.Exited exited) {
    Integer exitCode = exited.exitCode();
    Reason why = Reason.ended(run, exited.reason());
    boolean success =
        exitCode != null
            && rules.retry().okExit().contains(exitCode)
            && !HistoryEntry.wasEnded(why);
    executed(run, rules, entry(run, Outcome.EXECUTED, exited, why, null, success));
  }

  /** The end of a run that could not be started, and perhaps the wait for another attempt. */
  void notStarted(ActiveRun run, RunRules rules, JobEvent.LaunchFailed failed) {
    var end = new JobEvent.Exited(run.runId(), null, null, null, failed.at());
    Reason why = Reason.of(Cause.NOT_STARTED, failed.reason());
    executed(run, rules, entry(run, Outcome.EXECUTED, end, why, failed.stage(), false));
  }

  private void executed(ActiveRun run, RunRules rules, HistoryEntry entry) {
    // Of the schedule that the job has now: a change ends a wait, and begins none. When it was due
    // tells that; when it was started does not, for the clock may have been set back before.
    long counts = run.bootPeriod() == null ? run.due() : Math.floorDiv(run.startedAt(), 1000L);
    boolean latest = isLatest(run) && counts >= since;
    handle(run.nominal(), run.bootPeriod(), entry.outcome(), run.chosen());
    if (run.manual() && entry.success()) {
      dropRetry();
    }
    if (entry.success() && !rules.then().isEmpty()) {
      links = links.owing(rules.then(), run.runId(), entry.completedAt());
    }
    boolean wanted = !suspended && !rules.policy().suspend() && run.ending() != Ending.REPLACED;
    if (entry.failedForCertain()
        && wanted
        && (run.cause() != null || (!run.manual() && latest))
        && run.attempt() <= rules.retry().retries()) {
      history.add(entry);
      retry(entry, rules.retry());
    } else {
      record(entry);
    }
  }

  /** Whether no later period than this run's is handled. */
  private boolean isLatest(ActiveRun run) {
    String boot = run.bootPeriod();
    return boot == null
        ? run.nominal() >= handled()
        : (!boots.contains(boot) || boots.getLast().equals(boot))
            && active.stream().noneMatch(other -> isOfAnotherBoot(other, boot));
  }

  private static boolean isOfAnotherBoot(ActiveRun run, String boot) {
    return run.bootPeriod() != null && !run.bootPeriod().equals(boot);
  }

  private static HistoryEntry entry(
      ActiveRun run,
      Outcome outcome,
      JobEvent.Exited end,
      @Nullable Reason why,
      @Nullable String stage,
      boolean success) {
    return HistoryEntry.builder(run.nominal(), outcome)
        .chosen(run.chosen())
        .startedAt(outcome == Outcome.EXECUTED ? run.startedAt() : 0)
        .completedAt(end.at())
        .exitCode(end.exitCode())
        .signal(end.signal())
        .why(why)
        .stage(stage)
        .runId(run.runId())
        .success(success)
        .attempt(run.attempt())
        .cause(run.cause())
        .bootPeriod(run.bootPeriod())
        .cpuMillis(end.cpuMillis())
        .build();
  }

  /** The end of a run of which nothing began. */
  void settle(ActiveRun run, Outcome outcome, long at, Reason why) {
    handle(run.nominal(), run.bootPeriod(), outcome, run.chosen());
    var end = new JobEvent.Exited(run.runId(), null, null, null, at);
    HistoryEntry entry = entry(run, outcome, end, why, null, false);
    record(entry);
    boolean isLastOfSeveral = run.attempt() > 1 && why.cause() == Cause.STILL_ACTIVE;
    if (isLastOfSeveral) {
      effects.add(new JobEffect.Alert(entry)); // nobody was told of the attempt before it
    }
  }

  /** Goes back to the last period that stays handled, and says so in the history. */
  void release(JobEvent.Released released) {
    history.add(
        HistoryEntry.builder(lastHandled, Objects.requireNonNull(lastOutcome))
            .chosen(lastChosen)
            .completedAt(released.at())
            .why(
                Reason.of(
                    Cause.RELEASED,
                    "released by the operator: periods after "
                        + Instant.ofEpochSecond(released.since())
                        + " count again"))
            .build());
    lastHandled = released.nominal();
    lastOutcome = released.outcome();
    lastChosen = released.chosen();
  }

  /** What is known to have begun is never run again, whatever else is released. */
  void keepBegun(List<Long> nominals) {
    begunAhead =
        Stream.concat(begunAhead.stream(), nominals.stream())
            .filter(begun -> begun > lastHandled)
            .distinct()
            .sorted()
            .toList();
  }

  private void handle(long nominal, @Nullable String boot, Outcome outcome, long chosen) {
    changed = true;
    if (boot != null) {
      handleBoot(nominal, boot, outcome, chosen);
    } else if (nominal != CronCalendar.NONE && nominal > lastHandled) {
      boots = List.of();
      lastHandled = nominal;
      lastOutcome = outcome;
      lastChosen = chosen;
      if (!begunAhead.isEmpty()) {
        begunAhead = begunAhead.stream().filter(begun -> begun > nominal).toList();
      }
    }
  }

  /** Boots have no order but that in which they were handled, whatever the clock said. */
  private void handleBoot(long nominal, String boot, Outcome outcome, long chosen) {
    boolean isNew = !boots.contains(boot);
    if (isNew) {
      var handled = new ArrayList<>(boots);
      handled.add(boot);
      boots = handled.subList(Math.max(0, handled.size() - MOST_BOOTS), handled.size());
    }
    if (isNew || boots.getLast().equals(boot)) {
      lastHandled = nominal;
      lastOutcome = outcome;
      lastChosen = chosen;
    }
  }

  private void record(HistoryEntry entry) {
    history.add(entry);
    if (entry.failed()) {
      effects.add(new JobEffect.Alert(entry));
    }
  }

  Step toStep() {
    if (suspended != before.suspended()) {
      changed = true;
    }
    if (!changed) {
      return effects.isEmpty() ? Step.unchanged(before) : new Step(before, history, effects, false);
    }
    return new Step(
        JobState.builder(before.identity())
            .lastHandled(lastHandled)
            .lastOutcome(lastOutcome)
            .lastChosen(lastChosen)
            .active(active)
            .fingerprint(fingerprint)
            .since(since)
            .pastLost(pastLost)
            .suspended(suspended)
            .begunAhead(begunAhead)
            .retry(retry)
            .links(links)
            .boots(boots)
            .build(),
        history,
        effects,
        true);
  }
}
