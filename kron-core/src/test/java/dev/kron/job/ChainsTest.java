package dev.kron.job;

import static dev.kron.job.Given.ALLOW;
import static dev.kron.job.Given.BOOT;
import static dev.kron.job.Given.BUSY;
import static dev.kron.job.Given.FORBID;
import static dev.kron.job.Given.IDLE;
import static dev.kron.job.Given.REPLACE;
import static dev.kron.job.Given.TWICE;
import static dev.kron.job.Given.at;
import static dev.kron.job.Given.exited;
import static dev.kron.job.Given.lost;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobEvent.LinkDue;
import dev.kron.job.JobEvent.LinkPaid;
import dev.kron.job.JobEvent.LinksSettled;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.RunRequested;
import dev.kron.job.JobEvent.Suspended;
import dev.kron.job.Links.Owed;
import dev.kron.schedule.Policy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that follow others. */
final class ChainsTest {
  private static final RunRules TWO_FOLLOW =
      new RunRules(FORBID, RetryPolicy.NONE, List.of("/a:report", "/a:cleanup"));
  private static final Owed OWED = new Owed("/a:b", "c1", at(3));
  private static final LinkDue DUE = new LinkDue(OWED, "/a:a", "l1", BOOT, at(3));

  private static Step link(JobState state, Policy policy) {
    return JobMachine.step(state, new RunRules(policy, TWICE), DUE);
  }

  @Test
  void linksAreOwedInTheSameWriteAsTheSuccess() {
    Step step = JobMachine.step(BUSY, TWO_FOLLOW, exited("r2", 0));
    assertEquals(
        List.of(new Owed("/a:report", "r2", at(9)), new Owed("/a:cleanup", "r2", at(9))),
        step.state().links().owed());
    assertEquals(1, step.history().size());
  }

  @Test
  void everySuccessCountsAndNothingElse() {
    JobState manual = JobMachine.step(IDLE, TWO_FOLLOW, new RunRequested("m", BOOT, at(3))).state();
    assertEquals(
        2, JobMachine.step(manual, TWO_FOLLOW, exited("m", 0)).state().links().owed().size());
    for (JobEvent end : List.of(exited("r2", 1), lost("r2"))) {
      assertEquals(List.of(), JobMachine.step(BUSY, TWO_FOLLOW, end).state().links().owed());
    }
    JobState chained = JobMachine.step(IDLE, TWO_FOLLOW, DUE).state();
    assertEquals(
        2, JobMachine.step(chained, TWO_FOLLOW, exited("l1", 0)).state().links().owed().size());
  }

  @Test
  void aDebtIsPaidOnce() {
    JobState owing = JobMachine.step(BUSY, TWO_FOLLOW, exited("r2", 0)).state();
    Owed first = owing.links().owed().getFirst();
    Step paid = JobMachine.step(owing, TWO_FOLLOW, new LinkPaid(first));
    assertEquals(1, paid.state().links().owed().size());
    assertFalse(JobMachine.step(paid.state(), TWO_FOLLOW, new LinkPaid(first)).changed());
  }

  @Test
  void aLinkIsARunWithoutAPeriodThatKnowsItsCause() {
    ActiveRun run = link(IDLE, FORBID).state().active().getFirst();
    assertEquals("l1", run.runId());
    assertEquals("c1", run.cause());
    assertEquals(Given.NONE, run.nominal());
    assertFalse(run.manual());
  }

  @Test
  void aLinkThatIsToldAgainIsNothingNewAlsoWhenItsRunHasEnded() {
    JobState taken = link(IDLE, FORBID).state();
    assertFalse(link(taken, FORBID).changed());
    JobState ended = JobMachine.step(taken, Given.rules(FORBID), exited("l1", 0)).state();
    assertFalse(link(ended, FORBID).changed());
    JobState settled =
        JobMachine.step(ended, Given.rules(FORBID), new LinksSettled(List.of("l1"))).state();
    assertEquals(Links.NONE, settled.links());
  }

  @Test
  void forbidWithAnActiveRunSkipsItOnRecord() {
    HistoryEntry skipped = link(BUSY, FORBID).history().getFirst();
    assertEquals(Outcome.SKIPPED, skipped.outcome());
    assertEquals("c1", skipped.cause());
    assertEquals("l1", skipped.runId());
  }

  @Test
  void aSuspendedTargetSkipsItOnRecord() {
    JobState suspended = JobMachine.step(IDLE, Given.rules(FORBID), new Suspended()).state();
    HistoryEntry skipped = link(suspended, FORBID).history().getFirst();
    assertEquals(Outcome.SKIPPED, skipped.outcome());
    assertFalse(link(link(suspended, FORBID).state(), FORBID).changed());
  }

  /** What it has taken and begun before its file was lost, nobody knows any more. */
  @Test
  void aSuccessBeforeTheTargetsStateWasLostIsFollowedByNoSecondRun() {
    JobState lost = JobState.arrived("/a:b", "", at(4) / 1000, true);
    Step step = link(lost, FORBID);
    assertEquals(List.of(), step.state().active());
    HistoryEntry entry = step.history().getFirst();
    assertEquals(Outcome.EXECUTED, entry.outcome());
    assertEquals("l1", entry.runId());
    assertNull(entry.exitCode());
    assertFalse(link(step.state(), FORBID).changed(), "told again");

    JobState lostBefore = JobState.arrived("/a:b", "", at(3) / 1000, true);
    assertEquals("l1", link(lostBefore, FORBID).state().active().getFirst().runId());
    Owed ahead = new Owed("/a:b", "c1", at(5)); // the clock was set back since
    LinkDue due = new LinkDue(ahead, "/a:a", "l1", BOOT, at(3));
    Step set = JobMachine.step(lostBefore, new RunRules(FORBID, TWICE), due);
    assertEquals(List.of(), set.state().active());
  }

  @Test
  void allowAndReplaceAreAsForAPeriod() {
    assertEquals(2, link(BUSY, ALLOW).state().active().size());
    assertEquals(Phase.WAITING, link(BUSY, REPLACE).state().active().getLast().phase());
  }

  @Test
  void aLinkHasNoDeadline() {
    JobState intended = link(IDLE, FORBID).state();
    var never = new NeverBegan("l1", 99_999_999, "l2", BOOT, at(4));
    ActiveRun again =
        JobMachine.step(intended, Given.rules(FORBID), never).state().active().getFirst();
    assertEquals("l2", again.runId());
    assertEquals("c1", again.cause());
  }

  @Test
  void aLinkThatFailsIsTriedAgainWithItsCauseInPlaceOfAPeriod() {
    JobState running = link(IDLE, FORBID).state();
    Retry retry =
        JobMachine.step(running, new RunRules(FORBID, TWICE), exited("l1", 1)).state().retry();
    assertNotNull(retry);
    assertEquals("c1", retry.failed().cause());
    long delay = TWICE.delayMillis(IDLE.identity(), "c1", 1);
    assertEquals(at(9) + delay, retry.notBefore());
  }
}
