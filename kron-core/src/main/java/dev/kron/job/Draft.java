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

/** The next state of a job while one step works it out, with its history entries and effects. */
final class Draft {
  /** The number of boots that are remembered; a job cannot have active runs from more of them. */
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

  /** A copy of the runs, so that they can be changed while the copy is iterated. */
  List<ActiveRun> runs() {
    return List.copyOf(active);
  }

  /**
   * The run with this id, or null if it is unknown or still waits: nothing can have happened to a
   * waiting run.
   */
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

  /** The run that waits for the others to end, or null. */
  @Nullable ActiveRun waiting() {
    for (ActiveRun run : active) {
      if (run.phase() == Phase.WAITING) {
        return run;
      }
    }
    return null;
  }

  /** Intends the waiting run as soon as no other run is active. */
  void launchWaiting(long at) {
    if (active.size() == 1) {
      launchWaitingBesideOthers(at);
    }
  }

  /** Intends the waiting run although other runs are active. */
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
    if (!fingerprint.equals(this.fingerprint)) {
      active.replaceAll(ActiveRun::underAnotherSchedule);
    }
    this.fingerprint = fingerprint;
    this.since = lostBefore ? Math.max(this.since, since) : since;
    this.pastLost = lost || lostBefore;
    changed = true;
    dropRetry();
  }

  /**
   * Whether something that happened then may have been known to a state that was lost since. What
   * is ahead of the clock happened before that was set back.
   */
  boolean mayHaveForgotten(long thenMillis, long nowMillis) {
    boolean before = since == CronCalendar.NONE || thenMillis < since * 1000L;
    return pastLost && (before || thenMillis > nowMillis);
  }

  /** Gives up the retry that waits, and alerts about the failure that it was to repair. */
  void dropRetry() {
    Retry waits = retry;
    if (waits != null) {
      retry = null;
      changed = true;
      effects.add(new JobEffect.Alert(waits.failed()));
    }
  }

  /** Schedules a retry of the run that just failed; it takes the place of any retry that waited. */
  private void retry(HistoryEntry failed, RetryPolicy policy) {
    dropRetry();
    long delay = policy.delayMillis(before.identity(), Retry.key(failed), failed.attempt());
    retry = new Retry(failed, failed.completedAt() + delay, fingerprint);
    changed = true;
  }

  /** Ends a period that started no run. */
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

  /** Whether any run has begun or is about to begin. */
  boolean anyBegun() {
    return active.stream().anyMatch(run -> run.phase() != ActiveRun.Phase.WAITING);
  }

  /** Ends a run that was executed, and schedules a retry if one is due. */
  void executed(ActiveRun run, RunRules rules, JobEvent.Exited exited) {
    Integer exitCode = exited.exitCode();
    Reason why = Reason.ended(run, exited.reason());
    boolean success =
        exitCode != null
            && rules.retry().okExit().contains(exitCode)
            && !HistoryEntry.wasEnded(why);
    executed(run, rules, entry(run, Outcome.EXECUTED, exited, why, null, success));
  }

  /** Ends a run that could not be started, and schedules a retry if one is due. */
  void notStarted(ActiveRun run, RunRules rules, JobEvent.LaunchFailed failed) {
    var end = new JobEvent.Exited(run.runId(), null, null, null, failed.at());
    Reason why = Reason.of(Cause.NOT_STARTED, failed.reason());
    executed(run, rules, entry(run, Outcome.EXECUTED, end, why, failed.stage(), false));
  }

  private void executed(ActiveRun run, RunRules rules, HistoryEntry entry) {
    // Only failures under the job's present schedule are retried: a changed schedule ends a retry
    // and begins none. A run that was found again without a word of its schedule is of the present
    // one if it was due under it; the start time cannot tell, as the clock may have been set back.
    long counts = run.bootPeriod() == null ? run.due() : Math.floorDiv(run.startedAt(), 1000L);
    boolean latest = isLatest(run) && counts >= since && !run.outdated();
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

  /** Whether no period after this run's period is handled yet. */
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

  /** Ends a run that provably never began. */
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

  /** Goes back to the last period that stays handled, and records that in the history. */
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

  /**
   * Remembers periods that are known to have begun, so that they never run again even if they are
   * released.
   */
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

  /**
   * Marks a boot as handled. Boots are ordered by when they were handled, not by the clock; but a
   * period of the calendar that was handled before, of a job that ran at boots until then, stays
   * handled.
   */
  private void handleBoot(long nominal, String boot, Outcome outcome, long chosen) {
    boolean isNew = !boots.contains(boot);
    boolean followsBoot = isNew && !boots.isEmpty();
    if (isNew) {
      var handled = new ArrayList<>(boots);
      handled.add(boot);
      boots = handled.subList(Math.max(0, handled.size() - MOST_BOOTS), handled.size());
    }
    if (isNew || boots.getLast().equals(boot)) {
      lastHandled = followsBoot ? nominal : Math.max(lastHandled, nominal);
      lastOutcome = outcome;
      lastChosen = chosen;
    }
  }

  /** Records the end of a run that was not known any more. */
  void found(HistoryEntry entry) {
    if (entry.runId() == null || find(entry.runId()) == null) { // otherwise its end comes as ever
      handle(entry.nominal(), entry.bootPeriod(), entry.outcome(), entry.chosen());
      changed = true;
      record(entry);
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
