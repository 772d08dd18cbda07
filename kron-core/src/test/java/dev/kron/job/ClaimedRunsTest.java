package dev.kron.job;

import static dev.kron.job.Given.ALLOW;
import static dev.kron.job.Given.BOOT;
import static dev.kron.job.Given.BUSY;
import static dev.kron.job.Given.FORBID;
import static dev.kron.job.Given.IDLE;
import static dev.kron.job.Given.at;
import static dev.kron.job.Given.exited;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobEvent.Claimed;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.schedule.Policy;
import dev.kron.schedule.Schedule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs that a fleet gives to a machine. */
final class ClaimedRunsTest {
  private static RunRules rules(Policy policy) {
    return new RunRules(policy, RetryPolicy.NONE, List.of(), true, false);
  }

  @Test
  void aRunIsBegunOnceHoweverOftenItIsTold() {
    Claimed claimed = new Claimed(Given.intended("c", 5));
    Step first = JobMachine.step(IDLE, rules(ALLOW), claimed);
    assertEquals(1, first.effects().size());
    assertFalse(JobMachine.step(first.state(), rules(ALLOW), claimed).changed());
  }

  @Test
  void anAttemptOfAPeriodThatIsHandledHereIsBegun() {
    JobState ended = JobMachine.step(BUSY, rules(FORBID), exited("r2", 1)).state();
    ActiveRun second = Given.intended("c", 2).toBuilder().attempt(2).build();
    Step step = JobMachine.step(ended, rules(FORBID), new Claimed(second));
    assertEquals(List.of(second), step.state().active());
  }

  @Test
  void whatNeverBeganStaysSo() {
    JobState intended =
        JobMachine.step(IDLE, rules(FORBID), new Claimed(Given.intended("c", 5))).state();
    Step step =
        JobMachine.step(
            intended, rules(FORBID), new NeverBegan("c", PeriodDue.SEEN, "new", BOOT, at(5)));
    assertTrue(step.state().active().isEmpty());
    HistoryEntry entry = step.history().getFirst();
    assertEquals(Outcome.MISSED, entry.outcome());
    assertEquals("c", entry.runId());
    assertEquals("its node stopped between claim and start", entry.reason());
  }

  @Test
  void whatIsFoundIsOnRecordUnlessItsEndComesAsEver() {
    HistoryEntry entry =
        HistoryEntry.builder(Given.chosen(5), Outcome.EXECUTED).runId("c").exitCode(3).build();
    JobEvent.Found found = new JobEvent.Found(entry);
    Step step = JobMachine.step(IDLE, rules(FORBID), found);
    assertEquals(List.of(entry), step.history());
    assertEquals(Given.chosen(5), step.state().lastHandled());
    JobState active =
        JobMachine.step(IDLE, rules(FORBID), new Claimed(Given.intended("c", 5))).state();
    assertFalse(JobMachine.step(active, rules(FORBID), found).changed());
  }

  @Test
  void attemptsOfAFleetsJobAreNotThisMachinesAffair() {
    JobSpec local =
        JobSpec.builder("/f", "a", Schedule.parse("* * * * *"), List.of("/bin/true"))
            .retry(Given.TWICE)
            .build();
    JobSpec fleet =
        JobSpec.builder("/f", "a", Schedule.parse("* * * * *"), List.of("/bin/true"))
            .retry(new RetryPolicy(2, 1000, 1000, List.of(0, 3)))
            .fleet(new FleetRules("f.kron", Placement.ANY, FleetRules.Loss.SKIP, "n1"))
            .build();
    assertFalse(local.isClaimed());
    assertEquals(2, local.rules().retry().retries());
    assertTrue(fleet.isClaimed());
    assertTrue(fleet.rules().fleet());
    assertEquals(0, fleet.rules().retry().retries());
    assertEquals(List.of(0, 3), fleet.rules().retry().okExit());
    assertNull(JobMachine.step(BUSY, fleet.rules(), exited("r2", 1)).state().retry());
  }

  @Test
  void whatRunsAfterABootConcernsThatMachineAlone() {
    JobSpec boot =
        JobSpec.builder("/f", "a", Schedule.parse("@boot"), List.of("/bin/true"))
            .fleet(new FleetRules("f.kron", Placement.ALL, FleetRules.Loss.SKIP, "n1"))
            .build();
    assertFalse(boot.isClaimed());
    assertFalse(boot.rules().fleet());
  }
}
