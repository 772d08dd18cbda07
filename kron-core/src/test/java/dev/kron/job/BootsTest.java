package dev.kron.job;

import static dev.kron.job.Given.ALLOW;
import static dev.kron.job.Given.BOOT;
import static dev.kron.job.Given.FORBID;
import static dev.kron.job.Given.TWICE;
import static dev.kron.job.Given.exited;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.schedule.Policy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Periods that are boots are told apart by their names, whatever the clock says. */
final class BootsTest {
  private static final JobState FRESH = JobState.arrived("f:j", "x", 0, false);

  private static PeriodDue due(String boot, long nominal, String runId) {
    return new PeriodDue(
        nominal, nominal, nominal, PeriodDue.SEEN, runId, BOOT, nominal * 1000, "boot:" + boot);
  }

  private static Step step(JobState state, Policy policy, JobEvent event) {
    return JobMachine.step(state, new RunRules(policy, TWICE), event);
  }

  private static JobState ran(JobState state, String boot, long nominal, String runId) {
    JobState busy = step(state, FORBID, due(boot, nominal, runId)).state();
    return step(busy, FORBID, exited(runId, 0)).state();
  }

  @Test
  void aBootIsHandledOnceAlsoWhereTheClockWasSetBack() {
    JobState once = ran(FRESH, "a", 5000, "r1");
    assertEquals(List.of("boot:a"), once.boots());
    assertFalse(step(once, FORBID, due("a", 9000, "r2")).changed());
    JobState twice = ran(once, "b", 100, "r3");
    assertEquals(List.of("boot:a", "boot:b"), twice.boots());
    assertEquals(100, twice.lastHandled());
    assertFalse(step(twice, FORBID, due("a", 9000, "r4")).changed());
  }

  @Test
  void aRunOfAnEarlierBootThatEndsLaterReleasesNothing() {
    JobState one = step(FRESH, ALLOW, due("a", 5000, "r1")).state();
    JobState both = step(one, ALLOW, due("b", 100, "r2")).state();
    JobState later = step(both, ALLOW, exited("r2", 0)).state();
    JobState done = step(later, ALLOW, exited("r1", 0)).state();
    assertFalse(step(done, ALLOW, due("a", 200, "r3")).changed());
    assertFalse(step(done, ALLOW, due("b", 200, "r3")).changed());
  }

  /** The schedule was changed from boots to times while a run of the boot went on. */
  @Test
  void aRunOfABootThatEndsAfterALaterTimeReleasesNothing() {
    JobState busy = step(FRESH, ALLOW, due("a", 5000, "r1")).state();
    var noon = new PeriodDue(9000, 9000, 9000, PeriodDue.SEEN, "r2", BOOT, 9_000_000);
    JobState ended = step(step(busy, ALLOW, noon).state(), ALLOW, exited("r2", 0)).state();
    JobState failed = step(ended, ALLOW, exited("r1", 1)).state();
    assertFalse(step(failed, ALLOW, noon).changed());
    assertFalse(step(failed, ALLOW, due("a", 9500, "r4")).changed());
  }

  @Test
  void aFailureIsTriedAgainUnderTheSameName() {
    JobState busy = step(FRESH, FORBID, due("a", 5000, "r1")).state();
    Retry retry = step(busy, FORBID, exited("r1", 1)).state().retry();
    assertNotNull(retry);
    assertEquals("boot:a", Retry.key(retry.failed()));
  }

  @Test
  void noDeadlineAppliesToARunThatNeverBegan() {
    JobState busy = step(FRESH, FORBID, due("a", 5000, "r1")).state();
    Step again = step(busy, FORBID, new NeverBegan("r1", 99_999, "r2", BOOT, 1));
    assertTrue(again.effects().getFirst() instanceof JobEffect.Launch);
    assertEquals("boot:a", again.state().active().getFirst().bootPeriod());
  }

  @Test
  void itsPeriodIsNoMomentThatACalendarCouldHaveUsedUp() {
    JobState once = ran(FRESH, "a", 5000, "r1");
    var released = new JobEvent.Released(CronCalendar.NONE, null, CronCalendar.NONE, 10, 10_000);
    assertEquals(List.of("boot:a"), step(once, FORBID, released).state().boots());
    assertEquals(5000, step(once, FORBID, released).state().lastHandled());
  }
}
