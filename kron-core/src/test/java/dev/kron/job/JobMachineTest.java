package dev.kron.job;

import static dev.kron.job.Given.ALLOW;
import static dev.kron.job.Given.BOOT;
import static dev.kron.job.Given.BUSY;
import static dev.kron.job.Given.FORBID;
import static dev.kron.job.Given.IDLE;
import static dev.kron.job.Given.NONE;
import static dev.kron.job.Given.REPLACE;
import static dev.kron.job.Given.REPLACING;
import static dev.kron.job.Given.active;
import static dev.kron.job.Given.at;
import static dev.kron.job.Given.chosen;
import static dev.kron.job.Given.due;
import static dev.kron.job.Given.ending;
import static dev.kron.job.Given.exited;
import static dev.kron.job.Given.intended;
import static dev.kron.job.Given.late;
import static dev.kron.job.Given.lost;
import static dev.kron.job.Given.period;
import static dev.kron.job.Given.policy;
import static dev.kron.job.Given.run;
import static dev.kron.job.Given.unschedulable;
import static dev.kron.job.Given.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.EndRequested;
import dev.kron.job.JobEvent.Exited;
import dev.kron.job.JobEvent.LaunchFailed;
import dev.kron.job.JobEvent.Launched;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PastDropped;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobEvent.Recovered;
import dev.kron.job.JobEvent.Released;
import dev.kron.job.JobEvent.Resumed;
import dev.kron.job.JobEvent.RunRequested;
import dev.kron.job.JobEvent.StopRequested;
import dev.kron.job.JobEvent.Suspended;
import dev.kron.job.JobEvent.TimedOut;
import dev.kron.job.JobEvent.Unendable;
import dev.kron.schedule.Policy;
import dev.kron.schedule.Policy.Concurrency;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The rules of the state model and of the daemon, one by one. */
class JobMachineTest {

  private static Step step(JobState state, Policy policy, JobEvent event) {
    return JobMachine.step(state, Given.rules(policy), event);
  }

  private static JobState after(JobState state, Policy policy, JobEvent... events) {
    JobState result = state;
    for (JobEvent event : events) {
      result = JobMachine.step(result, Given.rules(policy), event).state();
    }
    return result;
  }

  private static void assertIgnored(JobState state, Policy policy, JobEvent event) {
    assertEquals(new Step(state, List.of(), List.of(), false), step(state, policy, event));
  }

  private static void assertLast(JobState state, int number, Outcome outcome) {
    assertEquals(period(number), state.lastHandled());
    assertEquals(outcome, state.lastOutcome());
    assertEquals(
        outcome == Outcome.UNSCHEDULABLE ? NONE : chosen(number),
        state.lastChosen(),
        "the chosen second of the last handled period");
  }

  private static HistoryEntry onlyEntry(Step step) {
    assertEquals(1, step.history().size(), step::toString);
    return step.history().getFirst();
  }

  private static List<ActiveRun> launches(Step step) {
    return step.effects().stream()
        .filter(JobEffect.Launch.class::isInstance)
        .map(effect -> ((JobEffect.Launch) effect).run())
        .toList();
  }

  private static List<String> ended(Step step) {
    return step.effects().stream()
        .filter(JobEffect.End.class::isInstance)
        .map(effect -> ((JobEffect.End) effect).runId())
        .toList();
  }

  private static boolean alerts(Step step) {
    return step.effects().stream().anyMatch(JobEffect.Alert.class::isInstance);
  }

  /** At most one execution for each period. */
  @Nested
  class Idempotency {
    @Test
    void theIntentIsInTheStateThatGoesToTheDiskBeforeTheLaunch() {
      Step step = step(IDLE, FORBID, due(2, "r2"));
      assertTrue(step.changed());
      assertEquals(List.of(intended("r2", 2)), step.state().active());
      assertEquals(List.of(new JobEffect.Launch(intended("r2", 2))), step.effects());
      assertEquals(List.of(), step.history());
    }

    @Test
    void theIntentCarriesTheBootInWhichItWasWrittenAndNoPidYet() {
      ActiveRun intent = step(IDLE, FORBID, due(2, "r2")).state().active().getFirst();
      assertEquals(BOOT, intent.bootId());
      assertEquals(0, intent.pid());
      assertEquals(Phase.INTENDED, intent.phase());
    }

    @Test
    void theLastHandledPeriodIsNotExecutedAgain() {
      assertIgnored(IDLE, FORBID, due(1, "again"));
    }

    @Test
    void aPeriodAtOrBeforeTheLastHandledIsNeverEvaluatedAgain() {
      JobState state = Given.idle(5);
      for (Policy policy : List.of(ALLOW, FORBID, REPLACE)) {
        for (int number = 1; number <= 5; number++) {
          assertIgnored(state, policy, due(number, "again"));
          assertIgnored(state, policy, late(number, "again", 10));
          assertIgnored(state, policy, unschedulable(number));
        }
      }
    }

    @Test
    void thePeriodOfAnActiveRunIsHandled() {
      assertEquals(period(2), BUSY.handled());
      assertIgnored(BUSY, ALLOW, due(2, "again"));
      assertIgnored(BUSY, REPLACE, due(2, "again"));
      assertIgnored(BUSY, FORBID, due(2, "again"));
    }

    @Test
    void thePeriodOfARunThatWaitsIsHandled() {
      assertEquals(period(3), REPLACING.handled());
      assertIgnored(REPLACING, REPLACE, due(3, "again"));
    }

    @Test
    void aHandledPeriodStaysHandledWhenTheScheduleChanges() {
      JobState changed = after(Given.idle(5), FORBID, new PastDropped("other", 0, false));
      assertIgnored(changed, FORBID, due(5, "again"));
      assertEquals(period(5), changed.handled());
    }

    @Test
    void aJobSeenForTheFirstTimeRunsItsFirstPeriod() {
      JobState unseen = JobState.unseen("/etc/krond.d/a:backup");
      assertEquals(NONE, unseen.handled());
      assertNull(unseen.lastOutcome());
      assertEquals(List.of(intended("r1", 1)), launches(step(unseen, FORBID, due(1, "r1"))));
    }
  }

  /** How a run ends. */
  @Nested
  class Ends {
    @Test
    void anEndIsTheOutcomeOfItsPeriodAndClearsTheActiveEntry() {
      Step step = step(BUSY, FORBID, exited("r2", 0));
      assertLast(step.state(), 2, Outcome.EXECUTED);
      assertEquals(List.of(), step.state().active());
      assertEquals(
          HistoryEntry.builder(period(2), Outcome.EXECUTED)
              .chosen(chosen(2))
              .startedAt(at(2))
              .completedAt(at(9))
              .exitCode(0)
              .runId("r2")
              .build(),
          onlyEntry(step));
      assertFalse(alerts(step));
    }

    @Test
    void aFailureIsExecutedAndSomebodyIsTold() {
      Step step = step(BUSY, FORBID, exited("r2", 3));
      assertLast(step.state(), 2, Outcome.EXECUTED);
      assertEquals(3, onlyEntry(step).exitCode());
      assertEquals(List.of(new JobEffect.Alert(onlyEntry(step))), step.effects());
    }

    @Test
    void aRunOfWhichNothingIsKnownEndsWithAnUnknownExitCodeNeverWith0() {
      Step step = step(BUSY, FORBID, lost("r2"));
      assertLast(step.state(), 2, Outcome.EXECUTED);
      assertNull(onlyEntry(step).exitCode());
      assertEquals("its keeper is gone", onlyEntry(step).reason());
      assertTrue(onlyEntry(step).failed());
      assertTrue(alerts(step));
    }

    @Test
    void theSignalThatEndedItIsOnRecord() {
      Step step = step(BUSY, FORBID, new Exited("r2", 137, 9, null, at(9)));
      assertEquals(9, onlyEntry(step).signal());
      assertEquals(137, onlyEntry(step).exitCode());
    }

    @Test
    void theEndOfAnOlderRunClearsItsEntryAndAddsToHistoryOnly() {
      JobState two = after(BUSY, ALLOW, due(3, "r3"), exited("r3", 0));
      assertLast(two, 3, Outcome.EXECUTED);
      Step step = step(two, ALLOW, exited("r2", 1));
      assertLast(step.state(), 3, Outcome.EXECUTED);
      assertEquals(List.of(), step.state().active());
      assertEquals(period(2), onlyEntry(step).nominal());
      assertEquals(1, onlyEntry(step).exitCode());
    }

    @Test
    void theEndOfARunAfterASkipLeavesTheSkipAsTheLastOutcome() {
      JobState skipped = after(BUSY, FORBID, due(3, "r3"));
      assertLast(skipped, 3, Outcome.SKIPPED);
      assertLast(after(skipped, FORBID, exited("r2", 0)), 3, Outcome.SKIPPED);
    }

    @Test
    void anEndThatIsToldTwiceIsRecordedOnce() {
      assertIgnored(after(BUSY, FORBID, exited("r2", 0)), FORBID, exited("r2", 0));
    }

    @Test
    void theEndOfARunThatIsNotOursIsIgnored() {
      assertIgnored(BUSY, FORBID, exited("other", 0));
      assertIgnored(IDLE, FORBID, exited("r2", 0));
    }

    @Test
    void aRunThatWaitsCannotHaveEndedFailedOrBegun() {
      assertIgnored(REPLACING, REPLACE, exited("r3", 0));
      assertIgnored(REPLACING, REPLACE, new LaunchFailed("r3", "exec", "not found", at(9)));
      assertIgnored(REPLACING, REPLACE, new Launched("r3", 1, 1));
      assertIgnored(REPLACING, REPLACE, new NeverBegan("r3", -1, "new", BOOT, at(9)));
      assertIgnored(REPLACING, REPLACE, new TimedOut("r3"));
      assertIgnored(REPLACING, REPLACE, new Unendable("r3", at(9)));
    }

    @Test
    void aCommandThatCannotBeStartedIsExecutedWithItsStageAndNotTriedAgain() {
      JobState intended = active(intended("r2", 2));
      Step step = step(intended, FORBID, new LaunchFailed("r2", "cwd", "no such dir", at(9)));
      assertLast(step.state(), 2, Outcome.EXECUTED);
      assertEquals("cwd", onlyEntry(step).stage());
      assertEquals("no such dir", onlyEntry(step).reason());
      assertNull(onlyEntry(step).exitCode());
      assertTrue(alerts(step));
      assertEquals(List.of(), launches(step));
      assertIgnored(step.state(), FORBID, due(2, "again"));
    }
  }

  /** What is known of a keeper. */
  @Nested
  class Starts {
    @Test
    void theKeepersPidIsMadeDurable() {
      JobState intended = active(intended("r2", 2));
      Step step = step(intended, FORBID, new Launched("r2", 4711, 99));
      assertTrue(step.changed());
      assertEquals(List.of(run("r2", 2)), step.state().active());
    }

    @Test
    void aKeeperThatIsFoundAgainIsNotWrittenAgain() {
      assertIgnored(BUSY, FORBID, new Launched("r2", 4711, 99));
    }

    @Test
    void aLateAnswerAboutARunThatIsGoneIsIgnored() {
      assertIgnored(BUSY, FORBID, new Launched("r1", 12, 34));
      assertIgnored(IDLE, FORBID, new Launched("r1", 12, 34));
    }
  }

  /** Absence and its limit. */
  @Nested
  class Deadline {
    @Test
    void aPeriodThatWasSeenIsStartedHoweverLongTheQueueWas() {
      assertEquals(1, launches(step(IDLE, FORBID, late(2, "r2", PeriodDue.SEEN))).size());
    }

    @Test
    void aLatePeriodRunsUpToAndIncludingItsDeadline() {
      Policy minute = policy(Concurrency.FORBID, 60);
      assertEquals(1, launches(step(IDLE, minute, late(2, "r2", 60))).size());
      assertEquals(0, launches(step(IDLE, minute, late(2, "r2", 61))).size());
    }

    @Test
    void withoutADeadlineLessThanASecondIsNotLate() {
      assertEquals(1, launches(step(IDLE, FORBID, late(2, "r2", 0))).size());
      assertEquals(0, launches(step(IDLE, FORBID, late(2, "r2", 1))).size());
    }

    @Test
    void aMissedPeriodIsRecordedAtOnceAndNeverRetried() {
      Step step = step(IDLE, FORBID, late(2, "r2", 1));
      assertTrue(step.changed());
      assertLast(step.state(), 2, Outcome.MISSED);
      HistoryEntry entry = onlyEntry(step);
      assertEquals(Outcome.MISSED, entry.outcome());
      assertNull(entry.runId());
      assertEquals(0, entry.startedAt());
      assertEquals("1 s late when the daemon was there again, the deadline is 0 s", entry.reason());
      assertEquals(Reason.late(1, 0, ""), entry.why());
      assertTrue(alerts(step));
      assertIgnored(step.state(), FORBID, due(2, "again"));
    }

    @Test
    void aPeriodThatIsTooLateIsMissedEvenWhileARunGoesOn() {
      for (Policy policy : List.of(ALLOW, FORBID, REPLACE)) {
        Step step = step(BUSY, policy, late(3, "r3", 1));
        assertLast(step.state(), 3, Outcome.MISSED);
        assertEquals(BUSY.active(), step.state().active());
        assertEquals(List.of(), ended(step));
      }
    }
  }

  @Nested
  class Unschedulable {
    @Test
    void anUnschedulablePeriodIsRecordedWithoutAChosenTime() {
      Step step = step(IDLE, FORBID, unschedulable(2));
      assertTrue(step.changed());
      assertLast(step.state(), 2, Outcome.UNSCHEDULABLE);
      assertEquals(NONE, onlyEntry(step).chosen());
      assertEquals("no candidate accepted within MaxAttempts", onlyEntry(step).reason());
      assertTrue(alerts(step));
      assertEquals(List.of(), launches(step));
    }

    @Test
    void whereTheChoiceIsExactTheReasonIsThatNothingIsAllowed() {
      var exact = new RunRules(FORBID, RetryPolicy.NONE, List.of(), false, true);
      Step step = JobMachine.step(IDLE, exact, unschedulable(2));
      assertEquals("no second of the window is allowed", onlyEntry(step).reason());
    }

    @Test
    void anUnschedulablePeriodReplacesNothing() {
      Step step = step(BUSY, REPLACE, unschedulable(3));
      assertEquals(BUSY.active(), step.state().active());
      assertLast(step.state(), 3, Outcome.UNSCHEDULABLE);
    }
  }

  @Nested
  class Concurrent {
    @Test
    void forbidSkipsWhileARunIsActiveAndTellsNobody() {
      Step step = step(BUSY, FORBID, due(3, "r3"));
      assertLast(step.state(), 3, Outcome.SKIPPED);
      assertEquals(BUSY.active(), step.state().active());
      assertEquals("run r2 is still active since 1970-01-01T02:00:05Z", onlyEntry(step).reason());
      assertEquals(List.of(), step.effects());
      assertIgnored(step.state(), FORBID, due(3, "again"));
    }

    @Test
    void aManualRunCountsForConcurrency() {
      JobState manual = after(IDLE, FORBID, new RunRequested("m", BOOT, at(1)));
      assertLast(after(manual, FORBID, due(2, "r2")), 2, Outcome.SKIPPED);
      assertEquals(List.of("m"), ended(step(manual, REPLACE, due(2, "r2"))));
    }

    @Test
    void allowKeepsSeveralTheLatestStartedLast() {
      Step step = step(BUSY, ALLOW, due(3, "r3"));
      assertEquals(List.of(run("r2", 2), intended("r3", 3)), step.state().active());
      assertEquals(List.of(intended("r3", 3)), launches(step));
      assertLast(step.state(), 1, Outcome.EXECUTED);
    }

    @Test
    void allowLaunchesARunThatWaitedUnderTheFormerPolicyFirst() {
      Step step = step(REPLACING, ALLOW, due(4, "r4"));
      assertEquals(List.of("r3", "r4"), launches(step).stream().map(ActiveRun::runId).toList());
      assertEquals(
          List.of("r2", "r3", "r4"), step.state().active().stream().map(ActiveRun::runId).toList());
    }
  }

  @Nested
  class Replacing {
    @Test
    void theDecisionToReplaceIsDurableTogetherWithTheEndingsBeforeTermIsSent() {
      Step step = step(BUSY, REPLACE, due(3, "r3"));
      assertTrue(step.changed());
      assertEquals(REPLACING.active(), step.state().active());
      assertEquals(List.of(new JobEffect.End("r2", Ending.REPLACED)), step.effects());
    }

    @Test
    void theNewRunBeginsOnlyWhenTheEndOfTheOldOneIsRecorded() {
      Step step = step(REPLACING, REPLACE, new Exited("r2", 143, null, null, at(5)));
      assertLast(step.state(), 2, Outcome.EXECUTED);
      assertEquals("replaced", onlyEntry(step).reason());
      assertEquals(1, launches(step).size());
      assertEquals("r3", launches(step).getFirst().runId());
      assertEquals(Phase.INTENDED, step.state().active().getFirst().phase());
    }

    @Test
    void aRunThatWaitedIsStartedWhenItsWaitIsOver() {
      Step step = step(REPLACING, REPLACE, new Exited("r2", 143, null, null, at(5)));
      assertEquals(at(5), launches(step).getFirst().startedAt());
    }

    @Test
    void theNewRunWaitsForAllOfThem() {
      JobState two = active(run("a", 2), run("b", 3));
      Step replaced = step(two, REPLACE, due(4, "c"));
      assertEquals(List.of("a", "b"), ended(replaced));
      Step first = step(replaced.state(), REPLACE, exited("b", 0));
      assertEquals(List.of(), launches(first));
      assertEquals(1, launches(step(first.state(), REPLACE, exited("a", 0))).size());
    }

    @Test
    void endingTheOldRunDoesNotCountTowardsTheDeadline() {
      Step step = step(REPLACING, REPLACE, new Exited("r2", 137, null, null, at(8)));
      assertEquals(1, launches(step).size());
    }

    @Test
    void aRunThatCouldNotBeStartedNeedNotBeWaitedFor() {
      JobState state =
          active(intended("r2", 2).withEnding(Ending.REPLACED, null), waiting("r3", 3));
      Step step = step(state, REPLACE, new LaunchFailed("r2", "exec", "not found", at(9)));
      assertEquals(1, launches(step).size());
    }

    @Test
    void aRunThatIsBeingReplacedAndNeverBeganIsMissedAndNotStartedAgain() {
      JobState state =
          active(intended("r2", 2).withEnding(Ending.REPLACED, null), waiting("r3", 3));
      Step step = step(state, REPLACE, new NeverBegan("r2", PeriodDue.SEEN, "new", BOOT, at(9)));
      assertEquals(Outcome.MISSED, onlyEntry(step).outcome());
      assertEquals(List.of("r3"), launches(step).stream().map(ActiveRun::runId).toList());
    }

    @Test
    void aRunThatNotEvenKillEndsMakesThePeriodMissed() {
      Step step = step(REPLACING, REPLACE, new Unendable("r2", at(9)));
      assertLast(step.state(), 3, Outcome.MISSED);
      assertEquals(List.of(ending("r2", 2, Ending.REPLACED)), step.state().active());
      assertEquals("run r2, which it replaces, could not be ended", onlyEntry(step).reason());
      assertTrue(alerts(step));
      Step end = step(step.state(), REPLACE, exited("r2", 0));
      assertEquals(List.of(), launches(end));
      assertLast(end.state(), 3, Outcome.MISSED);
    }

    @Test
    void aNewerPeriodTakesThePlaceOfTheOneThatWaits() {
      Step step = step(REPLACING, REPLACE, due(4, "r4"));
      assertLast(step.state(), 3, Outcome.SKIPPED);
      assertEquals(
          List.of(ending("r2", 2, Ending.REPLACED), waiting("r4", 4)), step.state().active());
      assertEquals(List.of(), launches(step));
      assertEquals(List.of(), ended(step), "it is being ended already");
    }

    @Test
    void aManualRunReplacesToo() {
      Step step = step(BUSY, REPLACE, new RunRequested("m", BOOT, at(3)));
      assertEquals(List.of("r2"), ended(step));
      Step end = step(step.state(), REPLACE, exited("r2", 0));
      assertEquals("m", launches(end).getFirst().runId());
      assertTrue(launches(end).getFirst().manual());
    }
  }

  @Nested
  class Crashes {
    private final Policy minute = policy(Concurrency.FORBID, 60);

    @Test
    void anIntentThatProvablyNeverBeganIsStartedOnceUnderANewId() {
      JobState state = active(intended("r2", 2));
      Step step = step(state, minute, new NeverBegan("r2", 60, "new", "boot-1", at(9)));
      assertEquals(List.of("new"), launches(step).stream().map(ActiveRun::runId).toList());
      assertEquals(period(2), launches(step).getFirst().nominal());
      assertEquals(chosen(2), launches(step).getFirst().chosen());
      assertEquals(at(9), launches(step).getFirst().startedAt());
      assertEquals(1, step.state().active().size());
      assertEquals(List.of(), step.history());
      assertIgnored(step.state(), minute, new NeverBegan("r2", 0, "second", "boot-1", at(9)));
    }

    @Test
    void anIntentThatNeverBeganIsMissedBeyondItsDeadline() {
      JobState state = active(intended("r2", 2));
      Step step = step(state, minute, new NeverBegan("r2", 61, "new", "boot-1", at(9)));
      assertLast(step.state(), 2, Outcome.MISSED);
      assertEquals(List.of(), step.state().active());
      assertEquals(List.of(), launches(step));
      assertEquals(0, onlyEntry(step).startedAt());
      assertTrue(alerts(step));
    }

    @Test
    void oneOfTwoIntentsThatNeverBeganIsSkippedWhereTheyMayNotOverlapAnyMore() {
      JobState state = active(intended("r2", 2), intended("r3", 3));
      Step first = step(state, minute, new NeverBegan("r2", 0, "new", "boot-1", at(9)));
      assertEquals(Outcome.SKIPPED, onlyEntry(first).outcome());
      assertEquals(List.of(), launches(first));
      Step second = step(first.state(), minute, new NeverBegan("r3", 0, "newer", "boot-1", at(9)));
      assertEquals(List.of("newer"), launches(second).stream().map(ActiveRun::runId).toList());
    }

    @Test
    void aRunWhoseKeeperWasKnownButNeverClaimedItDidNotBeginEither() {
      Step step = step(BUSY, minute, new NeverBegan("r2", 0, "new", "boot-1", at(9)));
      assertEquals(1, launches(step).size());
      assertEquals(0, launches(step).getFirst().pid());
    }

    @Test
    void aReplacementIsCarriedThroughAfterACrash() {
      Step recovered = step(REPLACING, REPLACE, new Recovered(BOOT, at(9)));
      assertEquals(List.of(new JobEffect.End("r2", Ending.REPLACED)), recovered.effects());
      assertEquals(REPLACING, recovered.state());
      Step step = step(recovered.state(), REPLACE, exited("r2", 143));
      assertEquals("r3", launches(step).getFirst().runId());
    }

    @Test
    void aReplacementWhoseOldRunEndedMeanwhileBeginsOnRecovery() {
      Step step = step(active(waiting("r3", 3)), REPLACE, new Recovered(BOOT, at(9)));
      assertEquals(1, launches(step).size());
      assertTrue(step.changed());
    }

    @Test
    void aRunThatWaitedIsMissedAfterARestartOfTheMachine() {
      Step step = step(REPLACING, REPLACE, new Recovered("boot-2", at(9)));
      assertLast(step.state(), 3, Outcome.MISSED);
      assertEquals("the machine was restarted before it began", onlyEntry(step).reason());
      Step end = step(step.state(), REPLACE, lost("r2"));
      assertEquals(List.of(), launches(end));
      assertEquals(List.of(), end.state().active());
    }

    @Test
    void nothingOfAnotherBootIsEndedAgain() {
      JobState state = active(ending("r2", 2, Ending.TIMED_OUT));
      assertIgnored(state, FORBID, new Recovered("boot-2", at(9)));
    }

    @Test
    void aTimeoutIsEnforcedAgainAfterACrash() {
      JobState state = active(ending("r2", 2, Ending.TIMED_OUT));
      Step step = step(state, FORBID, new Recovered(BOOT, at(9)));
      assertEquals(List.of(new JobEffect.End("r2", Ending.TIMED_OUT)), step.effects());
    }

    @Test
    void aRunThatGoesOnIsLeftAloneOnRecovery() {
      assertIgnored(BUSY, FORBID, new Recovered(BOOT, at(9)));
    }
  }

  @Nested
  class Endings {
    @Test
    void aRunThatHasUsedUpItsTimeIsEnded() {
      Step step = step(BUSY, FORBID, new TimedOut("r2"));
      assertTrue(step.changed(), "a crash must not forget why it is being ended");
      assertEquals(List.of(ending("r2", 2, Ending.TIMED_OUT)), step.state().active());
      assertEquals(List.of(new JobEffect.End("r2", Ending.TIMED_OUT)), step.effects());
    }

    @Test
    void aTimeoutIsOnRecordAndSomebodyIsToldEvenIfTheCommandThenExits0() {
      JobState state = active(ending("r2", 2, Ending.TIMED_OUT));
      Step step = step(state, FORBID, exited("r2", 0));
      assertEquals(0, onlyEntry(step).exitCode());
      assertEquals("timed out", onlyEntry(step).reason());
      assertTrue(onlyEntry(step).timedOut());
      assertTrue(alerts(step));
    }

    @Test
    void aTimeoutStaysOnRecordWhereTheEndIsNotKnown() {
      JobState state = active(ending("r2", 2, Ending.TIMED_OUT));
      Step step = step(state, FORBID, lost("r2"));
      assertEquals("timed out; its keeper is gone", onlyEntry(step).reason());
      assertTrue(onlyEntry(step).timedOut());
    }

    @Test
    void aRunIsEndedForOneReasonOnly() {
      JobState state = active(ending("r2", 2, Ending.TIMED_OUT));
      assertIgnored(state, FORBID, new TimedOut("r2"));
      Step replaced = step(state, REPLACE, due(3, "r3"));
      assertEquals(List.of(), ended(replaced));
      assertEquals(Ending.TIMED_OUT, replaced.state().active().getFirst().ending());
    }

    @Test
    void aTimeoutOfARunThatIsGoneIsIgnored() {
      assertIgnored(IDLE, FORBID, new TimedOut("r2"));
      assertIgnored(BUSY, FORBID, new TimedOut("r1"));
    }

    @Test
    void aStopEndsEveryRunAndMissesWhatWaits() {
      JobState two = active(run("a", 2), run("b", 3));
      assertEquals(List.of("a", "b"), ended(step(two, ALLOW, new StopRequested(at(9)))));
      Step step = step(REPLACING, REPLACE, new StopRequested(at(9)));
      assertLast(step.state(), 3, Outcome.MISSED);
      assertEquals(List.of(), launches(step(step.state(), REPLACE, exited("r2", 0))));
    }

    @Test
    void aStoppedRunIsOnRecordAsStopped() {
      JobState stopped = after(BUSY, FORBID, new StopRequested(at(3)));
      assertEquals("stopped", onlyEntry(step(stopped, FORBID, exited("r2", 143))).reason());
    }

    @Test
    void whatAnOperatorStopsIsOnRecordWithTheNameAndAlarmsNobody() {
      Step asked = step(BUSY, FORBID, new EndRequested("r2", "ada", 2, at(3)));
      assertEquals(List.of(new JobEffect.End("r2", Ending.STOPPED, 2)), asked.effects());
      Step ended = step(asked.state(), FORBID, exited("r2", 130));
      assertEquals("stopped by ada", onlyEntry(ended).reason());
      assertTrue(onlyEntry(ended).stopped());
      assertFalse(onlyEntry(ended).failed());
      assertEquals(List.of(), ended.effects());
    }

    @Test
    void oneRunIsStoppedAndTheOthersGoOn() {
      JobState two = active(run("a", 2), run("b", 3));
      assertEquals(List.of("b"), ended(step(two, ALLOW, new EndRequested("b", "ada", 0, at(9)))));
      assertEquals(
          List.of("a", "b"), ended(step(two, ALLOW, new EndRequested(null, "ada", 0, at(9)))));
    }

    @Test
    void aSecondStopMaySendAnotherSignalAndChangesNothingOnRecord() {
      JobState stopping = after(BUSY, FORBID, new EndRequested(null, "ada", 0, at(3)));
      Step again = step(stopping, FORBID, new EndRequested(null, "bob", 9, at(4)));
      assertFalse(again.changed());
      assertEquals(List.of(new JobEffect.End("r2", Ending.STOPPED, 9)), again.effects());
      assertEquals("stopped by ada", onlyEntry(step(stopping, FORBID, exited("r2", 137))).reason());
    }

    @Test
    void whatIsStoppedBeforeItBeganIsSkipped() {
      Step waiting = step(REPLACING, REPLACE, new EndRequested(null, "ada", 0, at(9)));
      assertLast(waiting.state(), 3, Outcome.SKIPPED);
      assertEquals("stopped by ada before it began", onlyEntry(waiting).reason());
      JobState stopping = after(BUSY, FORBID, new EndRequested(null, "ada", 0, at(3)));
      Step never = step(stopping, FORBID, new NeverBegan("r2", PeriodDue.SEEN, "new", BOOT, at(9)));
      assertEquals(Outcome.SKIPPED, onlyEntry(never).outcome());
      assertEquals(List.of(), never.effects());
    }
  }

  @Nested
  class Manual {
    @Test
    void aManualRunIsRecordedButNeverCountsAsAPeriod() {
      Step started = step(IDLE, FORBID, new RunRequested("m", BOOT, at(4)));
      assertEquals(1, launches(started).size());
      assertEquals(IDLE.handled(), started.state().handled());
      Step step = step(started.state(), FORBID, exited("m", 0));
      assertLast(step.state(), 1, Outcome.EXECUTED);
      assertEquals(NONE, onlyEntry(step).nominal());
      assertEquals("m", onlyEntry(step).runId());
      assertEquals(1, launches(step(step.state(), FORBID, due(2, "r2"))).size());
    }

    @Test
    void aManualRunIsRefusedWhileARunIsActiveUnderForbid() {
      assertIgnored(BUSY, FORBID, new RunRequested("m", BOOT, at(4)));
    }

    @Test
    void aManualRunThatIsAskedForTwiceUnderOneIdIsStartedOnce() {
      RunRequested request = new RunRequested("m", BOOT, at(4));
      assertIgnored(after(IDLE, ALLOW, request), ALLOW, request);
    }

    @Test
    void aManualRunGoesBesideOthersUnderAllow() {
      Step step = step(BUSY, ALLOW, new RunRequested("m", BOOT, at(4)));
      assertEquals("m", launches(step).getFirst().runId());
      assertEquals(2, step.state().active().size());
    }

    @Test
    void aManualRunIsStartedWhileTheJobIsSuspended() {
      JobState suspended = after(IDLE, FORBID, new Suspended());
      assertEquals(1, launches(step(suspended, FORBID, new RunRequested("m", BOOT, at(4)))).size());
    }
  }

  @Nested
  class Suspension {
    @Test
    void suspensionByCommandIsDurable() {
      Step step = step(IDLE, FORBID, new Suspended());
      assertTrue(step.changed());
      assertTrue(step.state().suspended());
      assertFalse(after(step.state(), FORBID, new Resumed()).suspended());
    }

    @Test
    void aSuspendedJobRecordsNothing() {
      JobState suspended = after(IDLE, FORBID, new Suspended());
      assertIgnored(suspended, FORBID, due(2, "r2"));
      assertIgnored(suspended, FORBID, late(2, "r2", 100));
      assertIgnored(suspended, FORBID, unschedulable(2));
    }

    @Test
    void aJobSuspendedInItsFileRecordsNothing() {
      Policy suspend = new Policy(Concurrency.FORBID, 0, true);
      assertIgnored(IDLE, suspend, due(2, "r2"));
      assertIgnored(IDLE, suspend, late(2, "r2", 100));
    }

    @Test
    void theRunsOfASuspendedJobGoOnAndAreRecorded() {
      JobState suspended = after(BUSY, FORBID, new Suspended());
      assertEquals(BUSY.active(), suspended.active());
      assertLast(after(suspended, FORBID, exited("r2", 0)), 2, Outcome.EXECUTED);
    }

    @Test
    void suspendingTwiceWritesOnce() {
      JobState suspended = after(IDLE, FORBID, new Suspended());
      assertIgnored(suspended, FORBID, new Suspended());
      assertIgnored(IDLE, FORBID, new Resumed());
    }
  }

  /** New jobs, changed schedules, lost states, and clocks that were far ahead. */
  @Nested
  class Pasts {
    private static final long YEAR = 366L * 86_400;

    @Test
    void aChangedScheduleHasNoPastAndKeepsWhatIsHandledAndRuns() {
      JobState changed = after(BUSY, FORBID, new PastDropped("other", 7777, false));
      assertEquals(7777, changed.since());
      assertEquals("other", changed.fingerprint());
      assertFalse(changed.pastLost());
      assertEquals(
          BUSY.active().stream().map(ActiveRun::underAnotherSchedule).toList(), changed.active());
      assertLast(changed, 1, Outcome.EXECUTED);
      assertEquals(BUSY.withSchedule("other", 7777), changed);
    }

    @Test
    void theSameScheduleKeepsItsPast() {
      assertSame(IDLE, IDLE.withSchedule("fingerprint", 7777));
      assertIgnored(IDLE, FORBID, new PastDropped("fingerprint", 7777, false));
    }

    @Test
    void aLostPastIsRemembered() {
      JobState lost = after(IDLE, FORBID, new PastDropped("fingerprint", 7777, true));
      assertTrue(lost.pastLost());
      assertEquals(7777, lost.since());
    }

    @Test
    void aLostPastOutlivesAnEditWhileAWindowThatWasOpenThenMayStillBe() {
      JobState lost = after(IDLE, FORBID, new PastDropped("fingerprint", 7777, true));
      PastDropped soon = new PastDropped("other", 8888, false);
      assertTrue(after(lost, FORBID, soon).pastLost());
      assertTrue(lost.withSchedule("other", 7777 + YEAR).pastLost());
      assertFalse(lost.withSchedule("other", 7777 + YEAR + 1).pastLost());
      assertFalse(after(lost, FORBID, new PastDropped("b", 7778 + YEAR, false)).pastLost());
    }

    @Test
    void aLostPastDoesNotComeBackWhenTheClockIsSetBackBeforeAnEdit() {
      JobState lost = after(IDLE, FORBID, new PastDropped("fingerprint", 7777, true));
      assertEquals(7777, lost.withSchedule("other", 7000).since());
      assertEquals(7777, after(lost, FORBID, new PastDropped("other", 7000, false)).since());
    }

    @Test
    void releasingGoesBackToWhatStaysHandledAndSaysSoInTheHistory() {
      JobState ahead = Given.idle(100_000);
      Step step =
          step(ahead, FORBID, new Released(period(2), Outcome.SKIPPED, chosen(2), 9000, at(9)));
      assertLast(step.state(), 2, Outcome.SKIPPED);
      assertEquals(period(100_000), onlyEntry(step).nominal());
      assertEquals(
          "released by the operator: periods after 1970-01-01T02:30:00Z count again",
          onlyEntry(step).reason());
      assertFalse(alerts(step));
    }

    @Test
    void releasingWithNothingToGoBackToLeavesNoOutcome() {
      JobState state =
          after(Given.idle(100_000), FORBID, new Released(NONE, null, NONE, 9000, at(9)));
      assertEquals(NONE, state.handled());
      assertNull(state.lastOutcome());
      assertEquals(NONE, state.lastChosen());
    }

    @Test
    void whatFellDueWhileAJobWasHeldDoesNotComeInABurst() {
      JobState state =
          after(Given.idle(100_000), FORBID, new Released(NONE, null, NONE, 9000, at(9)));
      assertEquals(9000, state.since(), "only due times from the release on count");
    }

    @Test
    void whatBeganUnderAClockFarAheadStaysHandledThoughTheRestIsReleased() {
      JobState ahead = Given.idle(100_000);
      Released released =
          new Released(
              period(2),
              Outcome.EXECUTED,
              chosen(2),
              9000,
              at(9),
              List.of(period(100_000), period(90_000)));
      JobState state = after(ahead, FORBID, released);
      assertEquals(period(2), state.handled());
      assertEquals(List.of(period(90_000), period(100_000)), state.begunAhead());
      assertIgnored(state, FORBID, due(90_000, "again"));
      assertIgnored(state, FORBID, due(100_000, "again"));
      assertEquals(1, launches(step(state, FORBID, due(3, "r3"))).size());
      JobState again = after(state, FORBID, due(95_000, "r95"), exited("r95", 0));
      assertEquals(List.of(period(100_000)), again.begunAhead(), "what is behind is handled");
      JobState changed = after(again, FORBID, new PastDropped("other", 1, false));
      assertEquals(List.of(period(100_000)), changed.begunAhead());
      assertEquals(changed, again.withSchedule("other", 1));
    }

    @Test
    void aFirstMomentThatLiesAheadIsReleased() {
      JobState ahead = after(IDLE, FORBID, new PastDropped("other", 1_000_000, false));
      JobState state =
          after(ahead, FORBID, new Released(period(1), Outcome.EXECUTED, chosen(1), 9000, at(9)));
      assertEquals(9000, state.since());
      assertLast(state, 1, Outcome.EXECUTED);
    }

    @Test
    void whatIsKnownToHaveBegunStaysHandledAlsoWhereNothingWasOnRecord() {
      JobState lost =
          after(JobState.unseen("a"), FORBID, new PastDropped("other", 1_000_000, true));
      Released released =
          new Released(NONE, null, NONE, 9000, at(9), List.of(period(90_000), period(3)));
      JobState state = after(lost, FORBID, released);
      assertEquals(9000, state.since());
      assertEquals(List.of(period(3), period(90_000)), state.begunAhead());
      assertIgnored(state, FORBID, due(90_000, "again"));
    }

    @Test
    void aJobThatIsNotHeldIsNotReleased() {
      assertIgnored(
          IDLE, FORBID, new Released(period(1), Outcome.EXECUTED, chosen(1), 9000, at(9)));
    }

    @Test
    void aRunThatIsActiveIsNeverReleased() {
      JobState ahead = active(run("r", 100_000));
      JobState state = after(ahead, FORBID, new Released(NONE, null, NONE, 9000, at(9)));
      assertEquals(period(100_000), state.handled());
    }
  }
}
