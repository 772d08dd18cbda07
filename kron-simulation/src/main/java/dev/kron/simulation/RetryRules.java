package dev.kron.simulation;

import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.StateView.Entry;
import dev.kron.simulation.StateView.Waiting;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Holds what becomes durable of attempts against what must hold. */
final class RetryRules {
  private static final long JUST_NOW_MILLIS = 90_000;

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;

  /** Runs after which another attempt was begun. */
  private final Set<String> retried = new HashSet<>();

  /** The schedules under which runs were intended, by their fingerprints. */
  private final Map<String, String> schedules = new HashMap<>();

  RetryRules(Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
  }

  /** A job's file is another one now. */
  void durable(JobWitness job, StateView before, StateView now) {
    for (Active run : now.active()) {
      schedules.putIfAbsent(run.runId(), now.fingerprint());
    }
    Waiting waits = now.retry();
    if (waits != null && !waits.equals(before.retry())) {
      followsAFailure(now, waits);
    }
    for (Entry entry : now.history()) {
      Active ended = before.find(entry.runId());
      if (ended != null && now.find(entry.runId()) == null) {
        isTriedAgain(job, ended, entry, before.suspended(), now);
      }
    }
    for (Active run : now.active()) {
      if (run.attempt() > 1 && before.find(run.runId()) == null) {
        begins(job, before, now, run);
      }
    }
    if (before.retry() != null && !before.retry().equals(waits)) {
      ends(job, before.retry(), before, now);
    }
  }

  private void followsAFailure(StateView now, Waiting waits) {
    Entry failed =
        now.history().stream()
            .filter(it -> it.runId().equals(waits.failedRun()))
            .findFirst()
            .orElse(null);
    if (failed == null) {
      return; // a history of three, and the same write has dropped it
    }
    JobEntry spec = around.entry(now.identity());
    boolean certain = failed.exitCode() != null || !failed.stage().isEmpty();
    boolean byItself = !failed.ended() || failed.why().cause().equals("timed-out");
    boolean chained = !failed.causedBy().isEmpty();
    boolean latest = chained || failed.period().equals(now.handled());
    String key = chained ? failed.causedBy() : failed.period();
    boolean wrong = !certain || !byItself || failed.success() || !latest || waits.attempt() < 2;
    wrong |= !chained && !isUnderItsSchedule(failed, now);
    if (spec != null && around.isSettled() && !around.undecided) {
      long wait = spec.retrying().waitMillis(now.identity(), key, failed.attempt());
      long due = Instant.parse(failed.completedAt()).toEpochMilli() + wait;
      wrong |= waits.attempt() > spec.retrying().retries() + 1;
      wrong |= Instant.parse(waits.notBefore()).toEpochMilli() != due;
    }
    if (wrong) {
      throw fail.apply(
          Invariant.RETRIED_ONLY_AFTER_FAILURE,
          "%s has %s after %s; its file: %s".formatted(now.identity(), waits, failed, spec));
    }
  }

  private boolean isUnderItsSchedule(Entry failed, StateView now) {
    return schedules.getOrDefault(failed.runId(), now.fingerprint()).equals(now.fingerprint());
  }

  /**
   * A run that ended while its job was suspended is not tried again, also if the job is resumed in
   * the same write.
   */
  private void isTriedAgain(
      JobWitness job, Active ended, Entry entry, boolean wasSuspended, StateView now) {
    JobEntry spec = around.entry(now.identity());
    boolean failed = entry.exitCode() != null || !entry.stage().isEmpty();
    boolean timedOut = entry.why().cause().equals("timed-out");
    // That it was to be ended may be in the same write as its end.
    boolean byItself = (ended.ending().isEmpty() && !entry.ended()) || timedOut;
    boolean tried = now.retry() != null && isAfter(now, now.retry().failedRun(), entry);
    if (spec != null
        && around.isSettled()
        && !around.undecided
        && !wasSuspended
        && !now.suspended()
        && !spec.suspend()
        && failed
        && byItself
        && !entry.success()
        && entry.outcome().equals(Entry.EXECUTED)
        && entry.attempt() <= spec.retrying().retries()
        && !entry.period().isEmpty()
        && entry.period().equals(now.handled())
        && isOf(spec, entry.period())
        && ended.due().compareTo(now.since()) >= 0
        && isUnderItsSchedule(entry, now)
        && !isAsked(job)
        && !tried) {
      throw fail.apply(
          Invariant.RETRIES_ARE_NOT_LOST,
          "%s is not tried again after %s: %s".formatted(now.identity(), entry, now));
    }
  }

  /** Whether a run is that of the entry, or ended after it: the wait of the later one holds. */
  private static boolean isAfter(StateView now, String run, Entry entry) {
    return now.history().stream()
        .dropWhile(it -> !it.equals(entry))
        .anyMatch(it -> it.runId().equals(run));
  }

  private static boolean isOf(JobEntry spec, String period) {
    return BootRules.isBoot(period)
        ? spec.times().isBoot()
        : spec.times().has(Instant.parse(period).getEpochSecond());
  }

  /** Whether a later period is handled now; boots have no order. */
  private static boolean isLater(String handled, String before) {
    return (BootRules.isBoot(handled) || BootRules.isBoot(before))
        ? !handled.equals(before)
        : handled.compareTo(before) > 0;
  }

  private boolean isAsked(JobWitness job) {
    return machine.clock.nanos() - job.askedNanos < JobRules.PATIENCE_NANOS * 5;
  }

  private void begins(JobWitness job, StateView before, StateView now, Active run) {
    Waiting waited = before.retry();
    boolean again =
        before.active().stream()
            .anyMatch(it -> it.key().equals(run.key()) && it.cause().equals(run.cause()));
    if (again) {
      return; // it provably never began, and is intended once more
    }
    String what = now.identity() + " begins " + run + " after " + before;
    if (waited == null || !waited.isAttempt(run)) {
      throw fail.apply(Invariant.RETRIED_ONLY_AFTER_FAILURE, what);
    }
    retried.add(waited.failedRun());
    if (!run.cause().isEmpty()) {
      return; // of a chain: no period
    }
    if (!now.handled().equals(run.period())
        || before.active().stream().anyMatch(it -> it.period().equals(run.period()))) {
      throw fail.apply(Invariant.ATTEMPTS_FOLLOW_EACH_OTHER, what);
    }
    boolean clockSet =
        machine.clock.nanos() - around.clockSetNanos < JobRules.PATIENCE_NANOS || job.clockSet;
    long notBefore = Instant.parse(waited.notBefore()).toEpochMilli();
    if (machine.clock.wallMillis() < notBefore && !clockSet) {
      throw fail.apply(Invariant.NOT_BEFORE_ITS_TIME, what);
    }
    JobEntry spec = around.entry(now.identity());
    long late = Math.floorDiv(back(job) - notBefore, 1000L);
    if (spec != null
        && !around.undecided
        && around.isSettled()
        && !clockSet
        && late > spec.retryDeadlineSeconds()) {
      throw fail.apply(Invariant.DEADLINE, what + ", " + late + " s late");
    }
  }

  private long back(JobWitness job) {
    return Math.max(around.presentSinceMillis, job.backMillis);
  }

  /** A retry waits no more: it was begun, or there is a reason. */
  private void ends(JobWitness job, Waiting waited, StateView before, StateView now) {
    boolean begun =
        now.active().stream().anyMatch(waited::isAttempt)
            || now.history().stream().anyMatch(waited::isAttempt);
    if (begun) {
      retried.add(waited.failedRun());
      return;
    }
    JobEntry spec = around.entry(now.identity());
    long notBefore = Instant.parse(waited.notBefore()).toEpochMilli();
    boolean explained =
        spec == null
            || !around.isSettled()
            || around.undecided
            || spec.suspend()
            || now.suspended()
            || before.suspended()
            || isAsked(job)
            || isLater(now.handled(), before.handled())
            || !now.fingerprint().equals(waited.fingerprint())
            || now.retry() != null
            || (!spec.allowsOthers() && !before.active().isEmpty())
            || now.history().stream()
                .anyMatch(it -> it.period().isEmpty() && it.causedBy().isEmpty() && it.success())
            || Math.floorDiv(back(job) - notBefore, 1000L) > spec.retryDeadlineSeconds();
    if (!explained) {
      throw fail.apply(
          Invariant.RETRIES_ARE_NOT_LOST,
          "%s had %s and has %s".formatted(now.identity(), waited, now));
    }
  }

  /** The command that is told of failures is started for this run. */
  void told(@Nullable StateView last, String runId) {
    boolean waits = last != null && last.retry() != null && last.retry().failedRun().equals(runId);
    if (!runId.isEmpty() && (waits || retried.contains(runId))) {
      throw fail.apply(Invariant.TOLD_AFTER_THE_LAST, "run " + runId + ", and its job has " + last);
    }
  }

  /** When faults have stopped, nothing waits whose time has come. */
  void settled(StateView last, JobEntry spec) {
    Waiting waits = last.retry();
    long longest = spec.retrying().longestSeconds() * 1250;
    long by = machine.clock.wallMillis() - JUST_NOW_MILLIS - longest;
    if (waits != null && Instant.parse(waits.notBefore()).toEpochMilli() < by) {
      throw fail.apply(Invariant.RETRIES_ARE_NOT_LOST, last.identity() + " still has " + waits);
    }
  }
}
