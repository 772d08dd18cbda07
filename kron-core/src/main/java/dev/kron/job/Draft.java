package dev.kron.job;

import dev.kron.cron.CronCalendar;
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
  }

  /** The end of a period of which nothing was started. */
  void settle(PeriodDue due, Outcome outcome, Reason why) {
    handle(due.nominal(), outcome, due.chosen());
    record(
        new HistoryEntry(
            due.nominal(), outcome, due.chosen(), 0, due.at(), null, null, why, null, null));
  }

  /** Whether a run has begun, or is about to. */
  boolean anyBegun() {
    return active.stream().anyMatch(run -> run.phase() != ActiveRun.Phase.WAITING);
  }

  /** The end of a run that had an entry of its own. */
  void settle(
      ActiveRun run,
      Outcome outcome,
      long at,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      @Nullable Reason why,
      @Nullable String stage) {
    handle(run.nominal(), outcome, run.chosen());
    record(
        new HistoryEntry(
            run.nominal(),
            outcome,
            run.chosen(),
            outcome == Outcome.EXECUTED ? run.startedAt() : 0,
            at,
            exitCode,
            signal,
            why,
            stage,
            run.runId()));
  }

  /** The end of a run of which nothing began. */
  void settle(ActiveRun run, Outcome outcome, long at, Reason why) {
    settle(run, outcome, at, null, null, why, null);
  }

  /** Goes back to the last period that stays handled, and says so in the history. */
  void release(JobEvent.Released released) {
    history.add(
        new HistoryEntry(
            lastHandled,
            Objects.requireNonNull(lastOutcome),
            lastChosen,
            0,
            released.at(),
            null,
            null,
            Reason.of(
                Cause.RELEASED,
                "released by the operator: periods after "
                    + Instant.ofEpochSecond(released.since())
                    + " count again"),
            null,
            null));
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

  private void handle(long nominal, Outcome outcome, long chosen) {
    changed = true;
    if (nominal != CronCalendar.NONE && nominal > lastHandled) {
      lastHandled = nominal;
      lastOutcome = outcome;
      lastChosen = chosen;
      if (!begunAhead.isEmpty()) {
        begunAhead = begunAhead.stream().filter(begun -> begun > nominal).toList();
      }
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
        new JobState(
            before.identity(),
            lastHandled,
            lastOutcome,
            lastChosen,
            active,
            fingerprint,
            since,
            pastLost,
            suspended,
            begunAhead),
        history,
        effects,
        true);
  }
}
