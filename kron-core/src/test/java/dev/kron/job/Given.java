package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.Exited;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.schedule.Policy;
import dev.kron.schedule.Policy.Concurrency;
import java.util.Arrays;
import java.util.List;

/** A job with an hourly past, and what can happen to it. Period {@code n} is due at hour n. */
final class Given {
  static final String BOOT = "boot-1";
  static final long HOUR = 3600;
  static final long NONE = CronCalendar.NONE;

  static final Policy ALLOW = policy(Concurrency.ALLOW, 0);
  static final Policy FORBID = policy(Concurrency.FORBID, 0);
  static final Policy REPLACE = policy(Concurrency.REPLACE, 0);

  /** Idle, with period 1 executed. */
  static final JobState IDLE = idle(1);

  /** Run "r2" of period 2 has begun; period 1 was executed. */
  static final JobState BUSY = active(run("r2", 2));

  /** Run "r3" of period 3 waits for run "r2" to end. */
  static final JobState REPLACING = active(ending("r2", 2, Ending.REPLACED), waiting("r3", 3));

  /** Two attempts after the first, 30 s after it and 60 s after that, and some. */
  static final RetryPolicy TWICE = new RetryPolicy(2, 30_000, 3_600_000, List.of(0));

  /** Period 2 failed, and its second attempt waits. */
  static final JobState RETRYING =
      JobMachine.step(BUSY, new RunRules(FORBID, TWICE), new Exited("r2", 1, null, null, at(2)))
          .state();

  private Given() {}

  static Policy policy(Concurrency concurrency, long deadlineSeconds) {
    return new Policy(concurrency, deadlineSeconds * 1_000_000_000L, false);
  }

  /** A job that is not tried again. */
  static RunRules rules(Policy policy) {
    return new RunRules(policy, RetryPolicy.NONE);
  }

  static long period(int number) {
    return number * HOUR;
  }

  /** Five seconds into the hour of a period: its chosen second. */
  static long chosen(int number) {
    return period(number) + 5;
  }

  static long at(int number) {
    return chosen(number) * 1000 + 7;
  }

  static JobState idle(int lastExecuted) {
    return JobState.builder("/etc/krond.d/a:backup")
        .lastHandled(period(lastExecuted))
        .lastOutcome(Outcome.EXECUTED)
        .lastChosen(chosen(lastExecuted))
        .fingerprint("fingerprint")
        .since(0)
        .build();
  }

  static JobState active(ActiveRun... runs) {
    return with(IDLE, runs);
  }

  static JobState with(JobState state, ActiveRun... runs) {
    return state.toBuilder().active(Arrays.asList(runs)).build();
  }

  static ActiveRun intended(String runId, int number) {
    return ActiveRun.builder(runId)
        .nominal(period(number))
        .chosen(chosen(number))
        .due(chosen(number))
        .bootId(BOOT)
        .startedAt(at(number))
        .build();
  }

  static ActiveRun run(String runId, int number) {
    return intended(runId, number).started(4711, 99);
  }

  static ActiveRun ending(String runId, int number, Ending ending) {
    return run(runId, number).withEnding(ending, null);
  }

  static ActiveRun waiting(String runId, int number) {
    return intended(runId, number).withPhase(Phase.WAITING);
  }

  static PeriodDue due(int number, String runId) {
    return late(number, runId, PeriodDue.SEEN);
  }

  static PeriodDue late(int number, String runId, long lateSeconds) {
    return new PeriodDue(
        period(number), chosen(number), chosen(number), lateSeconds, runId, BOOT, at(number));
  }

  static PeriodDue unschedulable(int number) {
    return new PeriodDue(
        period(number), NONE, chosen(number), PeriodDue.SEEN, "unused", BOOT, at(number));
  }

  static Exited exited(String runId, int exitCode) {
    return new Exited(runId, exitCode, null, null, at(9));
  }

  /** Nothing is known of how it ended. */
  static Exited lost(String runId) {
    return new Exited(runId, null, null, "its keeper is gone", at(9));
  }
}
