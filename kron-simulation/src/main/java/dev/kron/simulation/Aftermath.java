package dev.kron.simulation;

import dev.kron.job.JobSpec;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.simulation.StateView.Active;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;

/** What has to have become of every job when faults have stopped. */
final class Aftermath {
  private static final long JUST_NOW_MILLIS = 60_000;

  private final Machine machine;
  private final Map<String, JobWitness> jobs;
  private final Map<String, Execution> byRun;
  private final Map<String, JobSpec> specs;
  private final int historyLimit;
  private final BiFunction<Invariant, String, Violation> fail;

  Aftermath(
      Machine machine,
      Map<String, JobWitness> jobs,
      Map<String, Execution> byRun,
      Map<String, JobSpec> specs,
      int historyLimit,
      BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.jobs = jobs;
    this.byRun = byRun;
    this.specs = specs;
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
          if (last != null && !job.damaged) {
            for (Active run : last.active()) {
              Execution execution = byRun.get(run.runId());
              boolean old =
                  Instant.parse(run.due()).toEpochMilli()
                      < machine.clock.wallMillis() - JUST_NOW_MILLIS;
              if (execution == null ? old : execution.beganNanos < bySimulatedNanos) {
                throw fail.apply(Invariant.NOTHING_HANGS, identity + " still has " + run);
              }
            }
          }
        });
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
          boolean suspended =
              spec.schedule().policy().suspend() || (last != null && last.suspended());
          if (suspended || isHeld(job, fromMillis)) {
            return;
          }
          DueTimes times = DueTimes.of(spec.schedule(), identity);
          for (var due = times.after(Math.floorDiv(fromMillis, 1000L)); due.hasNext(); ) {
            Due next = due.next();
            if (next.dueEpochSecond() * 1000L >= toMillis) {
              return;
            }
            String period = next.decision().periodId();
            if (next.decision().windowStart().toEpochMilli() > job.lostAtMillis
                && !job.lostOutcomes.containsKey(period)
                && period.compareTo(job.handledBefore) > 0) {
              ran(spec, job, next);
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
  private static boolean isCrowded(JobSpec spec, Due due) {
    DueTimes times = DueTimes.of(spec.schedule(), spec.identity());
    Due before = times.of(spec.schedule().previous(due.decision().nominalEpochSecond() - 1));
    Due after = times.following(due);
    return before.dueEpochSecond() > due.dueEpochSecond() - 3
        || (after != null && after.dueEpochSecond() < due.dueEpochSecond() + 3);
  }

  private void ran(JobSpec spec, JobWitness job, Due due) {
    String identity = spec.identity();
    String period = due.decision().periodId();
    String outcome = job.outcomes.get(period);
    boolean fine =
        due.decision().unschedulable()
            ? "unschedulable".equals(outcome)
            : job.executed.containsKey(period)
                || Witness.EXECUTED.equals(outcome)
                || ("skipped".equals(outcome) && isCrowded(spec, due));
    if (!fine) {
      throw fail.apply(
          Invariant.WHAT_IS_DUE_RUNS,
          "%s was to run %s at %s, and is %s; its file: %s"
              .formatted(
                  identity,
                  period,
                  Instant.ofEpochSecond(due.dueEpochSecond()),
                  outcome == null ? "nothing" : outcome,
                  job.last));
    }
  }
}
