package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.PeriodDue;
import java.util.ArrayList;
import java.util.List;
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
  }

  long handled() {
    return JobState.handled(lastHandled, active);
  }

  /** The runs as they are now, safe to change while going through them. */
  List<ActiveRun> runs() {
    return List.copyOf(active);
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
    active.set(active.indexOf(run), by);
    changed = true;
  }

  void launch(ActiveRun run) {
    active.add(run);
    effects.add(new JobEffect.Launch(run));
    changed = true;
  }

  /** Intends the run that waits, once nothing is left to wait for. */
  void launchWaiting() {
    if (active.size() == 1 && active.getFirst().phase() == Phase.WAITING) {
      launch(active.removeFirst().withPhase(Phase.INTENDED));
    }
  }

  void dropPast(String fingerprint, long since, boolean lost) {
    this.fingerprint = fingerprint;
    this.since = since;
    this.pastLost |= lost;
    changed = true;
  }

  /** The end of a period of which nothing was started. */
  void settle(PeriodDue due, Outcome outcome, String reason) {
    handle(due.nominal(), outcome, due.chosen());
    record(
        new HistoryEntry(
            due.nominal(), outcome, due.chosen(), 0, due.at(), null, null, reason, null, null));
  }

  /** The end of a run that had an entry of its own. */
  void settle(
      ActiveRun run,
      Outcome outcome,
      long at,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      @Nullable String reason,
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
            reason,
            stage,
            run.runId()));
  }

  private void handle(long nominal, Outcome outcome, long chosen) {
    changed = true;
    if (nominal != CronCalendar.NONE && nominal > lastHandled) {
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
        new JobState(
            before.identity(),
            lastHandled,
            lastOutcome,
            lastChosen,
            active,
            fingerprint,
            since,
            pastLost,
            suspended),
        history,
        effects,
        true);
  }
}
