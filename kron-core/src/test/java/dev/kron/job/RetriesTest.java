package dev.kron.job;

import static dev.kron.job.Given.ALLOW;
import static dev.kron.job.Given.BOOT;
import static dev.kron.job.Given.BUSY;
import static dev.kron.job.Given.FORBID;
import static dev.kron.job.Given.REPLACE;
import static dev.kron.job.Given.RETRYING;
import static dev.kron.job.Given.TWICE;
import static dev.kron.job.Given.active;
import static dev.kron.job.Given.at;
import static dev.kron.job.Given.due;
import static dev.kron.job.Given.ending;
import static dev.kron.job.Given.exited;
import static dev.kron.job.Given.lost;
import static dev.kron.job.Given.period;
import static dev.kron.job.Given.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.ActiveRun.Ending;
import dev.kron.job.JobEvent.EndRequested;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobEvent.Recovered;
import dev.kron.job.JobEvent.RetryDue;
import dev.kron.job.JobEvent.RunRequested;
import dev.kron.job.JobEvent.StopRequested;
import dev.kron.schedule.Policy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is tried again, when, and who is told of it. */
final class RetriesTest {
  private static final RetryDue DUE = new RetryDue(period(2) + 60, PeriodDue.SEEN, "a2", BOOT, 1);

  private static Step step(JobState state, Policy policy, JobEvent event) {
    return JobMachine.step(state, new RunRules(policy, TWICE), event);
  }

  private static List<HistoryEntry> told(Step step) {
    return step.effects().stream()
        .filter(JobEffect.Alert.class::isInstance)
        .map(effect -> ((JobEffect.Alert) effect).entry())
        .toList();
  }

  private static Retry waiting(Step step) {
    Retry retry = step.state().retry();
    assertNotNull(retry, step::toString);
    return retry;
  }

  @Test
  void aFailureIsOnRecordAndNobodyIsToldWhileAnAttemptIsLeft() {
    Step step = step(BUSY, FORBID, exited("r2", 3));
    HistoryEntry failed = step.history().getFirst();
    assertEquals(1, failed.attempt());
    assertFalse(failed.success());
    assertEquals(List.of(), step.effects());
    assertEquals(failed, waiting(step).failed());
    assertEquals(2, waiting(step).attempt());
    long delay = TWICE.delayMillis(BUSY.identity(), "1970-01-01T02:00:00Z", 1);
    assertEquals(failed.completedAt() + delay, waiting(step).notBefore());
  }

  @Test
  void aClockThatWasSetBackKeepsNothingFromBeingTriedAgain() {
    ActiveRun again = run("r2", 2).toBuilder().startedAt(0).build();
    JobState state = active(again).toBuilder().since(period(1)).build();
    assertEquals(2, waiting(step(state, FORBID, exited("r2", 3))).attempt());
  }

  @Test
  void aFailureUnderAnEarlierScheduleIsNotTriedAgainWhateverTheClockSays() {
    long before = period(2) - 3600; // the clock was set back while it ran
    var dropped = new JobEvent.PastDropped("other", before, false);
    Step step = step(step(BUSY, FORBID, dropped).state(), FORBID, exited("r2", 3));
    assertNull(step.state().retry());
    assertEquals(step.history(), told(step));

    JobState arrived = BUSY.withSchedule("other", before);
    assertNull(step(arrived, FORBID, exited("r2", 3)).state().retry());
    JobState same = BUSY.withSchedule(BUSY.fingerprint(), before);
    assertEquals(2, waiting(step(same, FORBID, exited("r2", 3))).attempt());
  }

  @Test
  void theAttemptIsAnIntentOfTheSamePeriodAndNothingWaitsAnyMore() {
    Step step = step(RETRYING, FORBID, DUE);
    ActiveRun run = step.state().active().getFirst();
    assertEquals(2, run.attempt());
    assertEquals(period(2), run.nominal());
    assertEquals("a2", run.runId());
    assertNull(step.state().retry());
    assertEquals(List.of(new JobEffect.Launch(run)), step.effects());
  }

  @Test
  void afterTheLastAttemptSomebodyIsToldOnce() {
    JobState second = step(RETRYING, FORBID, DUE).state();
    Step again = step(second, FORBID, exited("a2", 1));
    assertEquals(List.of(), told(again));
    assertEquals(3, waiting(again).attempt());
    RetryDue due = new RetryDue(period(2) + 200, PeriodDue.SEEN, "a3", BOOT, 1);
    Step last = step(step(again.state(), FORBID, due).state(), FORBID, exited("a3", 1));
    assertEquals(last.history(), told(last));
    assertEquals(3, last.history().getFirst().attempt());
    assertNull(last.state().retry());
  }

  @Test
  void anUnknownEndAReplacementAndAStopAreNotTriedAgain() {
    assertNull(step(BUSY, FORBID, lost("r2")).state().retry());
    JobState replaced = active(ending("r2", 2, Ending.REPLACED));
    assertNull(step(replaced, REPLACE, exited("r2", 143)).state().retry());
    JobState stopped = step(BUSY, FORBID, new EndRequested("r2", "ada", 0, at(3))).state();
    assertNull(step(stopped, FORBID, exited("r2", 143)).state().retry());
    JobState shutDown = step(BUSY, FORBID, new StopRequested(at(3))).state();
    assertNull(step(shutDown, FORBID, exited("r2", 143)).state().retry());
  }

  @Test
  void aRunThatWasStoppedOrReplacedTellsNobody() {
    JobState replaced = active(ending("r2", 2, Ending.REPLACED));
    assertEquals(List.of(), told(step(replaced, REPLACE, exited("r2", 143))));
    JobState stopped = step(BUSY, FORBID, new EndRequested("r2", "ada", 0, at(3))).state();
    assertEquals(List.of(), told(step(stopped, FORBID, exited("r2", 143))));
  }

  @Test
  void aTimeoutIsAFailureWhateverItsExitCodeAndTriedAgain() {
    Step step = step(active(ending("r2", 2, Ending.TIMED_OUT)), FORBID, exited("r2", 0));
    assertFalse(step.history().getFirst().success());
    assertEquals(2, waiting(step).attempt());
  }

  @Test
  void aStartThatFailedIsTriedAgain() {
    var failed = new JobEvent.LaunchFailed("r2", "exec", "not found", at(3));
    assertEquals("exec", waiting(step(BUSY, FORBID, failed)).failed().stage());
  }

  @Test
  void okexitIsTheWholeListOfSuccesses() {
    var rules = new RunRules(FORBID, new RetryPolicy(1, 1000, 1000, List.of(3, 4)));
    Step three = JobMachine.step(BUSY, rules, exited("r2", 3));
    assertTrue(three.history().getFirst().success());
    assertEquals(List.of(), told(three));
    assertNull(three.state().retry());
    Step zero = JobMachine.step(BUSY, rules, exited("r2", 0));
    assertFalse(zero.history().getFirst().success());
    assertNotNull(zero.state().retry());
  }

  @Test
  void anOperatorsRunIsNotTriedAgain() {
    JobState manual = step(Given.IDLE, FORBID, new RunRequested("m", BOOT, at(3))).state();
    Step step = step(manual, FORBID, exited("m", 1));
    assertNull(step.state().retry());
    assertEquals(step.history(), told(step));
  }

  @Test
  void onlyTheLatestHandledPeriodIsTriedAgain() {
    JobState both = active(run("r2", 2), run("r3", 3));
    Step older = step(both, ALLOW, exited("r2", 1));
    assertNull(older.state().retry());
    assertEquals(older.history(), told(older));
    assertEquals(period(3), waiting(step(both, ALLOW, exited("r3", 1))).failed().nominal());
  }

  @Test
  void aRunOfAnotherScheduleIsNotTriedAgain() {
    var changed = new JobEvent.PastDropped("other", at(3) / 1000, false);
    Step step = step(step(BUSY, FORBID, changed).state(), FORBID, exited("r2", 1));
    assertNull(step.state().retry());
    assertEquals(step.history(), told(step));
  }

  @Test
  void aLaterPeriodEndsTheWaitWhateverBecomesOfIt() {
    List<HistoryEntry> failed = List.of(waiting(step(BUSY, FORBID, exited("r2", 1))).failed());
    JobState state = step(BUSY, FORBID, exited("r2", 1)).state();
    for (PeriodDue due : List.of(due(3, "n"), Given.late(3, "n", 9), Given.unschedulable(3))) {
      Step step = step(state, FORBID, due);
      assertNull(step.state().retry());
      assertTrue(told(step).containsAll(failed), step::toString);
    }
  }

  @Test
  void anotherRunThatIsActiveEndsTheWaitUnlessSeveralAreAllowed() {
    JobState beside = step(RETRYING, ALLOW, new RunRequested("m", BOOT, at(3))).state();
    Step allowed = step(beside, ALLOW, DUE);
    assertEquals(2, allowed.state().active().size());
    for (Policy policy : List.of(FORBID, REPLACE)) {
      Step given = step(beside, policy, DUE);
      assertNull(given.state().retry());
      assertEquals(1, given.state().active().size());
      assertEquals(1, told(given).size());
    }
  }

  @Test
  void aManualRunsSuccessEndsTheWaitAndItsFailureDoesNot() {
    JobState beside = step(RETRYING, FORBID, new RunRequested("m", BOOT, at(3))).state();
    Step good = step(beside, FORBID, exited("m", 0));
    assertNull(good.state().retry());
    assertEquals(1, told(good).size());
    assertNotNull(step(beside, FORBID, exited("m", 1)).state().retry());
  }

  @Test
  void neitherAStopNorADeathOfTheDaemonEndsTheWait() {
    assertEquals(RETRYING, step(RETRYING, FORBID, new StopRequested(at(3))).state());
    assertEquals(RETRYING, step(RETRYING, FORBID, new Recovered("boot-2", at(3))).state());
  }

  @Test
  void afterAnAbsenceItBeginsUpToTheDeadlineOrTheLongestDelay() {
    RetryDue late = new RetryDue(period(2), 3600, "a2", BOOT, 1);
    assertEquals(1, step(RETRYING, FORBID, late).state().active().size());
    RetryDue later = new RetryDue(period(2), 3601, "a2", BOOT, 1);
    assertEquals(1, told(step(RETRYING, FORBID, later)).size());
    Policy patient = Given.policy(Policy.Concurrency.FORBID, 7200);
    assertEquals(1, step(RETRYING, patient, later).state().active().size());
  }

  @Test
  void anAttemptThatNeverBeganIsIntendedOnceMoreWithTheSameNumber() {
    JobState intended = step(RETRYING, FORBID, DUE).state();
    Step step = step(intended, FORBID, new NeverBegan("a2", 100, "b2", BOOT, at(3)));
    ActiveRun run = step.state().active().getFirst();
    assertEquals(2, run.attempt());
    assertEquals("b2", run.runId());
    Step late = step(intended, FORBID, new NeverBegan("a2", 3601, "b2", BOOT, at(3)));
    assertEquals(Outcome.MISSED, late.history().getFirst().outcome());
    assertEquals(1, told(late).size(), "nobody was told of the attempt before it");
    assertEquals(Outcome.EXECUTED, late.state().lastOutcome());
  }

  @Test
  void aSuspendedJobIsNotTriedAgain() {
    var suspending = new Policy(Policy.Concurrency.FORBID, 0, true);
    Step step = step(BUSY, suspending, exited("r2", 1));
    assertNull(step.state().retry());
    assertEquals(step.history(), told(step));
  }
}
