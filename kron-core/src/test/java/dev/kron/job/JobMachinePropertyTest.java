package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.EndRequested;
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
import dev.kron.job.World.Fate;
import dev.kron.job.World.Outside;
import dev.kron.schedule.Policy;
import dev.kron.schedule.Policy.Concurrency;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a job, with crashes, failed writes, restarts of the machine, answers that come
 * late, twice or for somebody else. Repeat a failure with the seed that it prints.
 */
class JobMachinePropertyTest {
  private static final long SEED = Long.getLong("kron.seed", 20_260_511);
  private static final int LIVES = 1500;
  private static final int EVENTS = 120;
  private static final List<Concurrency> POLICIES = List.of(Concurrency.values());

  @Test
  void keepsItsPromisesThroughRandomLives() {
    RandomGenerator random = new SplittableRandom(SEED);
    for (int life = 0; life < LIVES; life++) {
      long seed = random.nextLong();
      Concurrency concurrency = POLICIES.get(life % POLICIES.size());
      Life lived = new Life(new SplittableRandom(seed), concurrency);
      try {
        for (int i = 0; i < EVENTS; i++) {
          lived.somethingHappens();
        }
        lived.comesToRest();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "life %s, -Dkron.seed=%s: %s%n%s"
                .formatted(life, SEED, e.getMessage(), String.join("\n", lived.diary)),
            e);
      }
    }
  }

  /** One job from first seen to the end of all its runs. */
  private static final class Life {
    private final RandomGenerator random;
    private final Policy policy;
    private final RunRules rules;
    private final World world = new World();
    private final List<String> diary = new ArrayList<>();
    private final List<HistoryEntry> history = new ArrayList<>();
    private final Map<Long, HistoryEntry> settled = new HashMap<>();
    private final Set<Long> accepted = new HashSet<>();
    private final Set<String> attempts = new HashSet<>();
    private final List<HistoryEntry> owed = new ArrayList<>();
    private @Nullable Retry waiting;
    private JobState state = JobState.unseen("/etc/krond.d/a:job");
    private int hour = 1;

    Life(RandomGenerator random, Concurrency concurrency) {
      this.random = random;
      this.policy = Given.policy(concurrency, random.nextInt(2) * 60L);
      this.rules = new RunRules(policy, random.nextBoolean() ? Given.TWICE : RetryPolicy.NONE);
    }

    private long at() {
      return hour * Given.HOUR * 1000;
    }

    void somethingHappens() {
      switch (random.nextInt(22)) {
        case 20, 21 -> retryDue();
        case 0, 1, 2, 3 -> periodDue();
        case 4 -> happens(new RunRequested(world.newRunId(), world.bootId, at()));
        case 5, 6, 7, 8 -> anEffectBegins();
        case 9, 10, 11 -> anAnswerComes();
        case 12 -> aRunEnds();
        case 13 -> happens(new TimedOut(someRunId()));
        case 14, 15 -> rarely();
        case 16 -> happens(random.nextBoolean() ? new Suspended() : new Resumed());
        case 17 -> happens(new Resumed());
        case 18 -> wrongOrLate();
        default -> crash();
      }
    }

    private void rarely() {
      switch (random.nextInt(7)) {
        case 5 -> happens(new EndRequested(someRunId(), "ada", 0, at()));
        case 0 -> restartMachine();
        case 1 -> happens(new StopRequested(at()));
        case 2 -> happens(new PastDropped("f" + random.nextInt(3), at() / 1000, false));
        case 3 -> release();
        case 4 -> happens(new Unendable(someRunId(), at()));
        default -> hour += random.nextInt(1000);
      }
    }

    private void periodDue() {
      boolean again = random.nextInt(4) == 0;
      int number = again ? Math.max(1, hour - random.nextInt(4)) : ++hour;
      long late = random.nextInt(3) == 0 ? random.nextInt(120) : PeriodDue.SEEN;
      boolean unschedulable = random.nextInt(12) == 0;
      happens(
          new PeriodDue(
              Given.period(number),
              unschedulable ? Given.NONE : Given.chosen(number),
              Given.chosen(number),
              late,
              world.newRunId(),
              world.bootId,
              at()));
    }

    private void retryDue() {
      long late = random.nextInt(4) == 0 ? random.nextInt(7200) : PeriodDue.SEEN;
      happens(
          random.nextInt(10) == 0
              ? new RetryDropped()
              : new RetryDue(at() / 1000, late, world.newRunId(), world.bootId, at()));
    }

    private void anEffectBegins() {
      if (!world.effects.isEmpty()) {
        JobEffect effect = world.effects.remove(random.nextInt(world.effects.size()));
        diary.add("begins " + effect);
        world.perform(effect, random.nextInt(10) > 0, at());
      }
    }

    private void anAnswerComes() {
      if (!world.answers.isEmpty()) {
        JobEvent answer = world.answers.remove(random.nextInt(world.answers.size()));
        happens(answer);
        if (random.nextInt(4) == 0) {
          happens(answer); // told twice
        }
      }
    }

    private void aRunEnds() {
      List<String> running =
          world.runs.keySet().stream()
              .filter(id -> outside(id).fate == Fate.RUNNING)
              .sorted()
              .toList();
      if (!running.isEmpty()) {
        world.end(running.get(random.nextInt(running.size())), random.nextInt(3), at());
      }
    }

    /** About a run that is over, or of which nobody has heard. */
    private void wrongOrLate() {
      List<String> over = world.runs.keySet().stream().filter(id -> !active(id)).sorted().toList();
      String id = over.isEmpty() ? "nobody" : over.get(random.nextInt(over.size()));
      List<JobEvent> events =
          List.of(
              new JobEvent.Launched(id, 3, 3),
              new JobEvent.LaunchFailed(id, "exec", "not found", at()),
              new JobEvent.Exited(id, 0, null, null, at()),
              new NeverBegan(id, PeriodDue.SEEN, world.newRunId(), world.bootId, at()),
              new TimedOut(id),
              new Unendable(id, at()));
      Step step = happens(events.get(random.nextInt(events.size())));
      assertFalse(step.changed(), "a late answer changed something");
      assertEquals(List.of(), step.effects());
    }

    private String someRunId() {
      List<ActiveRun> active = state.active();
      return active.isEmpty() ? "nobody" : active.get(random.nextInt(active.size())).runId();
    }

    /** So is a write that fails: the step did not happen, and the runs are looked up. */
    private void crash() {
      diary.add("crash");
      world.crash();
      settle();
      happens(new Recovered(world.bootId, at()));
    }

    private void restartMachine() {
      diary.add("restart of the machine");
      world.restartMachine();
      happens(new Recovered(world.bootId, at())); // before the ends of what ran in another boot
      settle();
    }

    private void settle() {
      List<ActiveRun> begun =
          state.active().stream().filter(run -> run.phase() != Phase.WAITING).toList();
      for (ActiveRun run : begun) {
        happens(world.recover(run, random.nextInt(100), at()));
      }
    }

    /** To the last period that began: "except what history or a claim shows as begun". */
    private void release() {
      HistoryEntry last = null;
      for (HistoryEntry entry : settled.values()) {
        boolean begun = entry.runId() != null && entry.outcome() == Outcome.EXECUTED;
        if (begun && (last == null || entry.nominal() > last.nominal())) {
          last = entry;
        }
      }
      if (last != null && last.nominal() < state.lastHandled()) {
        long back = last.nominal();
        happens(new Released(back, last.outcome(), last.chosen(), at() / 1000, at()));
        settled.keySet().removeIf(nominal -> nominal > back);
        attempts.removeIf(attempt -> Long.parseLong(attempt.split(" ")[0]) > back);
        accepted.removeIf(nominal -> nominal > back && !activePeriod(nominal));
      }
    }

    /** Everything ends, everything is told. */
    void comesToRest() {
      happens(new Resumed());
      for (int i = 0; i < 100 && !state.active().isEmpty(); i++) {
        while (!world.effects.isEmpty()) {
          anEffectBegins();
        }
        world.runs.keySet().stream().sorted().toList().forEach(id -> world.end(id, 0, at()));
        while (!world.answers.isEmpty()) {
          anAnswerComes();
        }
        crash();
      }
      assertEquals(List.of(), state.active(), "something waits for ever");
      everyRunThatBeganIsOnRecordOnceWithItsTrueEnd();
      assertEquals(accepted, settled.keySet(), "every period has one outcome");
    }

    private Step happens(JobEvent event) {
      diary.add(event.toString());
      JobState before = state;
      Step step = JobMachine.step(before, rules, event);
      assertEquals(step, JobMachine.step(before, rules, event), "a machine is a function");
      state = step.state();
      step.state().active().stream()
          .filter(run -> run.phase() != Phase.WAITING)
          .forEach(world::intended);
      check(before, event, step);
      world.effects.addAll(step.effects());
      return step;
    }

    private void check(JobState before, JobEvent event, Step step) {
      whatIsHandledStaysHandled(before, event);
      whatDoesNotChangeWritesNothing(before, event, step);
      launchesAreIntendedAndNeverASecondTime(before, event, step);
      aWaitingRunWaitsForRunsThatAreBeingEnded();
      recordEach(step, event);
      theLastOutcomeDescribesTheLastHandledPeriod();
      if (event instanceof PeriodDue due) {
        if (before.suspended()) {
          assertFalse(step.changed(), "a suspended job records nothing");
        }
        if (step.changed()) {
          assertTrue(due.nominal() > before.handled());
          assertEquals(due.nominal(), state.handled());
          accepted.add(due.nominal());
        }
      }
    }

    private void whatIsHandledStaysHandled(JobState before, JobEvent event) {
      if (!(event instanceof Released)) {
        assertTrue(state.handled() >= before.handled(), "handled went back");
        assertTrue(state.lastHandled() >= before.lastHandled(), "lastHandled went back");
      }
    }

    private void whatDoesNotChangeWritesNothing(JobState before, JobEvent event, Step step) {
      assertEquals(!before.equals(state), step.changed(), "written exactly when it differs");
      if (!step.changed()) {
        assertEquals(List.of(), step.history());
        boolean endsAgain =
            (event instanceof Recovered || event instanceof EndRequested)
                && step.effects().stream().allMatch(JobEffect.End.class::isInstance);
        assertTrue(endsAgain || step.effects().isEmpty(), "an effect without an intent");
      }
    }

    private void launchesAreIntendedAndNeverASecondTime(
        JobState before, JobEvent event, Step step) {
      for (JobEffect effect : step.effects()) {
        if (!(effect instanceof JobEffect.Launch launch)) {
          continue;
        }
        ActiveRun run = launch.run();
        assertEquals(Phase.INTENDED, run.phase());
        assertTrue(state.active().contains(run), "a launch without a durable intent");
        assertEquals(world.bootId, run.bootId(), "an intent of another boot was started");
        assertFalse(outside(run.runId()).began, "started twice under one id");
        if (!run.manual()) {
          world.runs.forEach(
              (id, other) ->
                  assertTrue(
                      other.nominal != run.nominal()
                          || other.attempt != run.attempt()
                          || id.equals(run.runId())
                          || other.fate == Fate.FORESTALLED,
                      "the period may have begun as " + id));
        }
        if (policy.concurrency() == Concurrency.FORBID && !(event instanceof NeverBegan)) {
          assertEquals(List.of(), before.active(), "launched beside a run under forbid");
        }
        if (policy.concurrency() == Concurrency.REPLACE) {
          assertEquals(List.of(run), state.active(), "launched beside the run it replaces");
        }
      }
    }

    private void aWaitingRunWaitsForRunsThatAreBeingEnded() {
      List<ActiveRun> active = state.active();
      for (int i = 0; i < active.size(); i++) {
        if (active.get(i).phase() == Phase.WAITING) {
          assertEquals(active.size() - 1, i, "the one that waits was decided last");
          assertTrue(active.size() > 1, "waits for nothing");
          active.subList(0, i).forEach(run -> assertTrue(run.ending() != null, "waits for ever"));
        }
      }
    }

    private void recordEach(Step step, JobEvent event) {
      for (HistoryEntry entry : step.history()) {
        if (event instanceof Released) {
          continue;
        }
        history.add(entry);
        if (entry.nominal() != Given.NONE) {
          HistoryEntry former = settled.putIfAbsent(entry.nominal(), entry);
          assertEquals(former == null, entry.attempt() == 1, "a terminal outcome is permanent");
          assertTrue(attempts.add(entry.nominal() + " " + entry.attempt()), "an attempt twice");
          assertTrue(
              entry.attempt() == 1 || entry.nominal() == state.handled() || before(entry),
              "only the latest period is tried again");
        }
        boolean waits = state.retry() != null && state.retry().failed().equals(entry);
        if (entry.failed() && !waits) {
          owed.add(entry);
        }
      }
      for (JobEffect effect : step.effects()) {
        if (effect instanceof JobEffect.Alert alert) {
          HistoryEntry told = alert.entry();
          boolean due = owed.remove(told) || (waiting != null && waiting.failed().equals(told));
          assertTrue(due || told.attempt() > 1, "somebody is told of what is no last failure");
        }
      }
      assertEquals(List.of(), owed, "somebody is told of every last failure");
      Retry before = waiting;
      boolean begun = event instanceof RetryDue && !state.active().isEmpty();
      if (before != null && !before.equals(state.retry()) && !begun) {
        assertTrue(
            step.effects().contains(new JobEffect.Alert(before.failed())),
            "the end of a wait is told");
      }
      waiting = state.retry();
      assertTrue(
          waiting == null || waiting.failed().attempt() <= rules.retry().retries(),
          "an attempt too many");
    }

    /** Its attempt began when its period was still the latest. */
    private boolean before(HistoryEntry entry) {
      return entry.nominal() < state.handled();
    }

    private void theLastOutcomeDescribesTheLastHandledPeriod() {
      if (state.lastHandled() == Given.NONE) {
        assertEquals(null, state.lastOutcome());
        return;
      }
      HistoryEntry last = Objects.requireNonNull(settled.get(state.lastHandled()));
      assertEquals(last.outcome(), state.lastOutcome());
      assertEquals(last.chosen(), state.lastChosen());
    }

    private void everyRunThatBeganIsOnRecordOnceWithItsTrueEnd() {
      world.runs.forEach(
          (id, run) -> {
            List<HistoryEntry> entries =
                history.stream().filter(entry -> id.equals(entry.runId())).toList();
            assertTrue(entries.size() <= 1, () -> id + " is on record twice");
            if (run.began || run.fate == Fate.NOT_STARTED) {
              assertEquals(1, entries.size(), () -> id + " is not on record");
              assertEquals(Outcome.EXECUTED, entries.getFirst().outcome());
              Integer exitCode = run.fate == Fate.ENDED ? run.exitCode : null;
              assertEquals(exitCode, entries.getFirst().exitCode(), id);
            }
          });
    }

    private boolean active(String runId) {
      return state.active().stream().anyMatch(run -> run.runId().equals(runId));
    }

    private boolean activePeriod(long nominal) {
      return state.active().stream().anyMatch(run -> run.nominal() == nominal);
    }

    private Outside outside(String runId) {
      return Objects.requireNonNull(world.runs.get(runId), runId);
    }
  }
}
