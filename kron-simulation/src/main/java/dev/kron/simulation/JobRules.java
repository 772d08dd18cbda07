package dev.kron.simulation;

import dev.kron.process.RunStatus;
import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.StateView.Entry;
import dev.kron.simulation.Timetable.Period;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Holds what becomes durable of jobs against what must hold. */
final class JobRules {
  private static final long MARGIN_MILLIS = 6_000;
  static final long PATIENCE_NANOS = 60_000_000_000L;

  private final Machine machine;
  private final Circumstances around;
  private final BootRules boots;
  private final Map<String, Execution> byRun;
  private final int historyLimit;
  private final BiFunction<Invariant, String, Violation> fail;

  JobRules(
      Machine machine,
      Circumstances around,
      BootRules boots,
      Map<String, Execution> byRun,
      int historyLimit,
      BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.boots = boots;
    this.byRun = byRun;
    this.historyLimit = historyLimit;
    this.fail = fail;
  }

  void handledStays(StateView before, StateView now) {
    boolean released = now.history().stream().anyMatch(Entry::released);
    boolean byTime = !BootRules.isBoot(now.handled()) && !BootRules.isBoot(before.handled());
    if (byTime && !released && now.handled().compareTo(before.handled()) < 0) {
      throw fail.apply(
          Invariant.HANDLED_NEVER_GOES_BACK,
          now.identity() + " from " + before.handled() + " to " + now.handled());
    }
  }

  void historyStays(StateView before, StateView now) {
    List<Entry> old = before.history();
    int dropped = 0;
    while (dropped < old.size() && !startsWith(now.history(), old.subList(dropped, old.size()))) {
      dropped++;
    }
    if (dropped > 0 && now.history().size() < historyLimit) {
      throw fail.apply(
          Invariant.OUTCOMES_ARE_PERMANENT,
          now.identity() + " had " + before.history() + " and has " + now.history());
    }
  }

  private static boolean startsWith(List<Entry> list, List<Entry> beginning) {
    return list.size() >= beginning.size() && list.subList(0, beginning.size()).equals(beginning);
  }

  /** A run that is on record from now on: somebody decided to start it. */
  void decided(String identity, JobWitness job, @Nullable StateView before, Active run) {
    JobEntry spec = around.entry(identity);
    if (spec != null && !around.undecided && !spec.allowsOthers()) {
      job.alone.add(run.runId());
    }
    if (run.period().isEmpty()) {
      return;
    }
    if (job.executed.containsKey(run.key())) {
      throw fail.apply(
          Invariant.AT_MOST_ONCE, identity + " decides again to run " + run.key() + ", " + run);
    }
    boolean again = job.begun.putIfAbsent(run.key(), machine.clock.nanos()) != null;
    boolean first = !again && !byRun.containsKey(run.runId()) && run.attempt() == 1;
    if (BootRules.isBoot(run.period())) {
      if (first) {
        boots.decided(identity, before, run);
      }
      return;
    }
    if (first) {
      handled(identity, job, before, run.period());
      isDue(identity, run);
    }
    // What could not be begun for the disk's sake, though decided in time, begins when it can.
    boolean delayed = again && machine.clock.nanos() - around.troubledNanos < PATIENCE_NANOS;
    if (spec != null && !around.undecided && !delayed) {
      long due = Instant.parse(run.due()).toEpochMilli();
      long back = back(job);
      long late = Math.floorDiv(back - due, 1000L);
      long deadline = run.attempt() == 1 ? spec.deadlineSeconds() : spec.retryDeadlineSeconds();
      if (due < back && late > deadline) {
        throw fail.apply(
            Invariant.DEADLINE,
            "%s starts %s, due %s, %s s late, its deadline is %s s"
                .formatted(identity, run.period(), Instant.ofEpochMilli(due), late, deadline));
      }
    }
  }

  /** A run is due when the specification says so. */
  private void isDue(String identity, Active run) {
    JobEntry spec = around.entry(identity);
    if (spec == null || around.undecided) {
      return;
    }
    Period period = spec.times().period(Instant.parse(run.period()).getEpochSecond());
    if (period.unschedulable() || period.due() != Instant.parse(run.due()).getEpochSecond()) {
      throw fail.apply(
          Invariant.PERIODS_ARE_TRUE, identity + " is to run " + period + ", and has " + run);
    }
  }

  /** A period was looked at for the first time. */
  private void handled(String identity, JobWitness job, @Nullable StateView before, String period) {
    JobEntry spec = around.entry(identity);
    if (spec == null || around.undecided) {
      return;
    }
    if ((before != null && before.suspended()) || spec.suspend()) {
      throw fail.apply(Invariant.SUSPENDED_STARTS_NOTHING, identity + " handles " + period);
    }
    long nominal = Instant.parse(period).getEpochSecond();
    if (!spec.times().has(nominal)) {
      throw fail.apply(
          Invariant.PERIODS_ARE_TRUE,
          identity + " handles " + period + ", which is none of " + spec.schedule());
    }
    Period due = spec.times().period(nominal);
    if (due.windowStart() <= Math.floorDiv(job.quarantinedMillis, 1000L)) {
      throw fail.apply(
          Invariant.LOST_MAY_HAVE_RUN,
          "%s handles %s, its window was open since %s when its file was quarantined at %s"
              .formatted(
                  identity,
                  period,
                  Instant.ofEpochSecond(due.windowStart()),
                  Instant.ofEpochMilli(job.quarantinedMillis)));
    }
    Long noticed = job.noticedMillis.get(spec.schedule());
    if (noticed != null
        && due.due() < Math.floorDiv(noticed, 1000L)
        && due.due() > Math.floorDiv(job.changesLostMillis, 1000L)) {
      throw fail.apply(
          Invariant.CHANGES_HAVE_NO_PAST,
          "%s handles %s, due %s, with a schedule that was noticed %s"
              .formatted(
                  identity,
                  period,
                  Instant.ofEpochSecond(due.due()),
                  Instant.ofEpochMilli(noticed)));
    }
    notTooEarly(identity, due);
    long back = back(job);
    if (due.due() * 1000L < back) {
      long later = later(spec.times(), nominal, Math.ceilDiv(back, 1000L) - 1);
      if (later > nominal) {
        throw fail.apply(
            Invariant.NO_BURST,
            "%s handles %s although %s was due as well when the daemon was back at %s"
                .formatted(
                    identity, period, Instant.ofEpochSecond(later), Instant.ofEpochMilli(back)));
      }
    }
  }

  private void notTooEarly(String identity, Period period) {
    long early = period.due() * 1000L - machine.clock.wallMillis();
    boolean clockSet = machine.clock.nanos() - around.clockSetNanos < PATIENCE_NANOS;
    if (early > 0 && !clockSet) {
      throw fail.apply(
          Invariant.NOT_BEFORE_ITS_TIME,
          "%s handles %s %s ms before it is due at %s"
              .formatted(identity, period.id(), early, Instant.ofEpochSecond(period.due())));
    }
  }

  /** The latest nominal time after this one whose period was due by then; else not after it. */
  private static long later(Timetable times, long nominal, long bySecond) {
    long at = times.before(bySecond + times.reach(), nominal + 1);
    while (at > nominal && times.period(at).due() > bySecond) {
      at = times.before(at, nominal + 1);
    }
    return at;
  }

  private long back(JobWitness job) {
    return Math.max(around.presentSinceMillis, job.backMillis);
  }

  void ended(
      String identity, JobWitness job, @Nullable StateView before, Entry entry, boolean known) {
    if (entry.released()) {
      job.outcomes.values().removeIf(outcome -> !outcome.equals(Entry.EXECUTED));
      return;
    }
    once(identity, job, entry);
    boolean isBoot = BootRules.isBoot(entry.period());
    if (isBoot) {
      boots.ended(identity, entry);
    }
    if (!entry.period().isEmpty() && !isBoot && !known && entry.runId().isEmpty()) {
      handled(identity, job, before, entry.period());
    }
    Execution execution = byRun.get(entry.runId());
    if (entry.outcome().equals(Entry.EXECUTED)) {
      executed(identity, entry, execution);
    } else if (execution != null && execution.identity.equals(identity) && !execution.unknowable) {
      throw fail.apply(Invariant.BEGUN_IS_NEVER_MISSED, identity + " " + entry);
    }
    if (entry.outcome().equals("missed") && !isBoot) {
      missed(identity, before, entry);
    }
  }

  private void once(String identity, JobWitness job, Entry entry) {
    boolean isNew = entry.runId().isEmpty() || job.endedRuns.add(entry.runId());
    if (!isNew && !job.lostRuns.remove(entry.runId())) {
      throw fail.apply(Invariant.OUTCOMES_ARE_PERMANENT, identity + " ends a run twice: " + entry);
    }
    if (!entry.period().isEmpty()) {
      String outcome = job.outcomes.put(entry.key(), entry.outcome());
      boolean again = entry.outcome().equals(job.lostOutcomes.remove(entry.key()));
      if (outcome != null && !again) {
        throw fail.apply(
            Invariant.OUTCOMES_ARE_PERMANENT,
            identity + " was " + outcome + " and becomes " + entry);
      }
    }
  }

  private void executed(String identity, Entry entry, @Nullable Execution execution) {
    if (!entry.stage().isEmpty() && execution != null) {
      throw fail.apply(Invariant.EXIT_CODES_ARE_TRUE, identity + " began, and has " + entry);
    }
    if (execution != null && !execution.over) {
      throw fail.apply(Invariant.NOT_OVER_WHILE_IT_RUNS, identity + " goes on, and has " + entry);
    }
    JobEntry spec = around.entry(identity);
    boolean success =
        entry.exitCode() != null
            && spec != null
            && spec.retrying().okExit().contains(entry.exitCode())
            && !entry.ended();
    if (spec != null && !around.undecided && around.isSettled() && success != entry.success()) {
      throw fail.apply(Invariant.EXIT_CODES_ARE_TRUE, identity + " is no such success: " + entry);
    }
    if (entry.exitCode() == null) {
      if (execution != null && !around.readErrors) {
        RunRecord record = RunRecord.parse(machine.disk.content(RunRecord.file(execution.run)));
        boolean told = record instanceof RunRecord.Kept(_, _, RunStatus.Ended end) && end != null;
        // Only others may take a record away that a daemon has not used yet.
        if (told || (execution.recorded && !execution.unheard)) {
          throw fail.apply(
              Invariant.UNKNOWN_ONLY_WHEN_UNKNOWABLE,
              identity + " has " + entry + " and its record had " + execution.status);
        }
      }
    } else if (execution == null
        || !entry.exitCode().equals(execution.status)
        || (entry.signal() != null && !entry.signal().equals(execution.signal))) {
      throw fail.apply(
          Invariant.EXIT_CODES_ARE_TRUE,
          "%s has %s, and really %s"
              .formatted(
                  identity,
                  entry,
                  execution == null ? "never began" : "ended with " + execution.status));
    }
  }

  private void missed(String identity, @Nullable StateView before, Entry entry) {
    JobEntry spec = around.entry(identity);
    boolean delayed =
        !entry.runId().isEmpty() // it never began
            && machine.clock.nanos() - around.troubledNanos < PATIENCE_NANOS;
    if (!entry.why().cause().equals("late")
        || entry.period().isEmpty()
        || spec == null
        || around.undecided
        || delayed) {
      return;
    }
    Active run = before == null ? null : before.find(entry.runId());
    if (run == null && !entry.runId().isEmpty()) {
      return; // of a file that was lost: it was due by a schedule that may be another one now
    }
    long due =
        run == null
            ? spec.times().period(Instant.parse(entry.period()).getEpochSecond()).due() * 1000L
            : Instant.parse(run.due()).toEpochMilli();
    boolean seen = due >= around.undisturbedSinceMillis + MARGIN_MILLIS;
    if (seen || entry.why().lateSeconds() <= entry.why().deadlineSeconds()) {
      throw fail.apply(
          Invariant.MISSED_ONLY_WHEN_LATE,
          "%s was due %s, undisturbed since %s: %s"
              .formatted(
                  identity,
                  Instant.ofEpochMilli(due),
                  Instant.ofEpochMilli(around.undisturbedSinceMillis),
                  entry));
    }
  }
}
