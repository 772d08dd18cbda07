package dev.kron.simulation;

import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.Timetable.Period;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The judgement of every job when faults have stopped. */
final class Aftermath {
  private static final long JUST_NOW_MILLIS = 60_000;

  /** The grace of a command that is told to end, and what KILL takes then. */
  private static final long ENDING_NANOS = 15_000_000_000L;

  private final Machine machine;
  private final Map<String, JobWitness> jobs;
  private final Map<String, Execution> byRun;
  private final Map<String, JobEntry> specs;
  private final RetryRules retries;
  private final int historyLimit;
  private final BiFunction<Invariant, String, Violation> fail;

  Aftermath(
      Machine machine,
      Map<String, JobWitness> jobs,
      Map<String, Execution> byRun,
      Map<String, JobEntry> specs,
      RetryRules retries,
      int historyLimit,
      BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.jobs = jobs;
    this.byRun = byRun;
    this.specs = specs;
    this.retries = retries;
    this.historyLimit = historyLimit;
    this.fail = fail;
  }

  /** Whether everything that began has its end on record, and nothing hangs. */
  void settled(long bySimulatedNanos) {
    for (Execution execution : byRun.values()) {
      JobWitness job = Objects.requireNonNull(jobs.get(execution.identity));
      if (execution.beganNanos < bySimulatedNanos
          && !job.damaged
          && !execution.forgotten
          && !execution.unknowable
          && !goesOn(execution, job.last == null ? null : job.last.find(execution.run.id()))
          && !isBeingEnded(execution, bySimulatedNanos)
          && !hasLeft(job, execution)
          && !job.endedRuns.contains(execution.run.id())) {
        throw fail.apply(
            execution.over ? Invariant.EVERY_RUN_IS_RECORDED : Invariant.NOTHING_HANGS,
            "run %s of %s has no end on record: %s"
                .formatted(execution.run.id(), execution.identity, job.last));
      }
    }
    jobs.forEach(
        (identity, job) -> {
          StateView last = job.last;
          JobEntry spec = specs.get(identity);
          if (last != null && !job.damaged && spec != null) {
            retries.settled(last, spec);
          }
          if (last != null && !job.damaged) {
            for (Active run : last.active()) {
              Execution execution = byRun.get(run.runId());
              boolean old =
                  Instant.parse(run.due()).toEpochMilli()
                      < machine.clock.wallMillis() - JUST_NOW_MILLIS;
              boolean stuck =
                  execution == null
                      ? old
                      : execution.beganNanos < bySimulatedNanos
                          && !goesOn(execution, run)
                          && !isBeingEnded(execution, bySimulatedNanos);
              if (stuck) {
                throw fail.apply(Invariant.NOTHING_HANGS, identity + " still has " + run);
              }
            }
          }
        });
  }

  /** A command that hangs, and has no time limit, goes on until somebody wants its end. */
  private static boolean goesOn(Execution execution, @Nullable Active run) {
    Conduct conduct = Objects.requireNonNull(execution.command.conduct);
    return !execution.over
        && conduct.isEndless()
        && execution.limitNanos >= Execution.UNSURE
        && (run == null || run.ending().isEmpty());
  }

  /** It hung, and was told to end only a moment ago: its time to do so is not over. */
  private boolean isBeingEnded(Execution execution, long bySimulatedNanos) {
    return !execution.over
        && execution.termNanos > bySimulatedNanos
        && machine.clock.nanos() - execution.termNanos < ENDING_NANOS;
  }

  /** Its end may have been in the history, and have left it before it was durable. */
  private boolean hasLeft(JobWitness job, Execution execution) {
    StateView last = job.last;
    return execution.over
        && last != null
        && last.history().size() >= historyLimit
        && last.find(execution.run.id()) == null;
  }

  /** Every period that was due in that time ran. */
  void ranEverything(long fromMillis, long toMillis) {
    specs.forEach(
        (identity, spec) -> {
          JobWitness job = jobs.getOrDefault(identity, new JobWitness());
          StateView last = job.last;
          boolean suspended = spec.suspend() || (last != null && last.suspended());
          if (suspended || isHeld(job, fromMillis)) {
            return;
          }
          Timetable times = spec.times();
          long from = Math.floorDiv(fromMillis, 1000L);
          long end = Math.floorDiv(toMillis, 1000L) + times.reach();
          for (long at = times.after(from - times.reach(), end);
              at <= end;
              at = times.after(at, end)) {
            Period next = times.period(at);
            if (next.due() > from
                && next.due() * 1000L < toMillis
                && next.windowStart() * 1000L > job.lostAtMillis
                && !job.lostOutcomes.containsKey(next.id())
                && next.id().compareTo(job.handledBefore) > 0) {
              ran(identity, spec, job, next);
            }
          }
        });
  }

  private static boolean isHeld(JobWitness job, long fromMillis) {
    StateView last = job.last;
    if (job.readAtMillis > fromMillis) {
      return true;
    }
    if (last == null) {
      return job.damaged;
    }
    String from = Instant.ofEpochSecond(Math.floorDiv(fromMillis, 1000L)).toString();
    return last.handled().compareTo(from) > 0 || last.since().compareTo(from) > 0;
  }

  /** Windows overlap, and another period is due at almost the same time: one of them is skipped. */
  private static boolean isCrowded(JobEntry spec, Period due) {
    Timetable times = spec.times();
    long reach = times.reach() + 60;
    long before = times.before(due.nominal(), due.nominal() - reach);
    long after = times.after(due.nominal(), due.nominal() + reach);
    return (before >= due.nominal() - reach && times.period(before).due() > due.due() - 3)
        || (after <= due.nominal() + reach && times.period(after).due() < due.due() + 3);
  }

  /**
   * Another run of the job went on when it was due, and is not to have another beside it; or it was
   * to be replaced, and could not be ended.
   */
  private boolean isHeldBack(String identity, JobEntry spec, Period due) {
    long dueNanos =
        machine.clock.nanos() - (machine.clock.wallMillis() - due.due() * 1000L) * 1_000_000L;
    boolean replaced = spec.replacesOthers();
    return !spec.allowsOthers()
        && byRun.values().stream()
            .filter(it -> it.identity.equals(identity))
            .filter(it -> !it.over || it.endedNanos >= dueNanos - JUST_NOW_MILLIS * 1_000L)
            .anyMatch(it -> it.beganNanos <= dueNanos && (!replaced || it.isDeaf()));
  }

  private void ran(String identity, JobEntry spec, JobWitness job, Period due) {
    String period = due.id();
    String outcome = job.outcomes.get(period);
    boolean fine =
        due.unschedulable()
            ? "unschedulable".equals(outcome)
            : job.executed.containsKey(period)
                || StateView.Entry.EXECUTED.equals(outcome)
                || ("skipped".equals(outcome)
                    && (isCrowded(spec, due) || isHeldBack(identity, spec, due)))
                || ("missed".equals(outcome) && isHeldBack(identity, spec, due));
    if (!fine) {
      throw fail.apply(
          Invariant.WHAT_IS_DUE_RUNS,
          "%s was to run %s at %s, and is %s; its file: %s"
              .formatted(
                  identity,
                  period,
                  Instant.ofEpochSecond(due.due()),
                  outcome == null ? "nothing" : outcome,
                  job.last));
    }
  }
}
