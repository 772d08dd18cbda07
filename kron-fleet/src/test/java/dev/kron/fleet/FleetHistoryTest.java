package dev.kron.fleet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.fleet.SimulatedFleet.Execution;
import dev.kron.job.FleetRules.Loss;
import dev.kron.schedule.Policy.Concurrency;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whatever happens to nodes and database, no period is executed twice. By seeds. */
class FleetHistoryTest {
  private static final int HISTORIES = Integer.getInteger("kron.fleetHistories", 50);

  @Test
  void noPeriodIsExecutedTwiceAndNothingStopsForGood() {
    long first = Long.getLong("kron.seed", 1);
    int executions = 0;
    for (long seed = first; seed < first + HISTORIES; seed++) {
      SimulatedFleet fleet = new SimulatedFleet(seed);
      try {
        fleet.play(420);
        fleet.faults = false;
        fleet.play(240);
        check(fleet);
      } catch (AssertionError | RuntimeException broken) {
        throw new AssertionError(
            "seed " + seed + ": " + broken.getMessage() + "\n" + tail(fleet.trace), broken);
      }
      executions += fleet.executions.size();
    }
    assertTrue(executions > HISTORIES * 20, executions + " executions");
  }

  private static String tail(List<String> trace) {
    return String.join("\n", trace.subList(Math.max(0, trace.size() - 120), trace.size()));
  }

  private static void check(SimulatedFleet fleet) {
    Map<String, Execution> seen = new HashMap<>();
    for (Execution execution : fleet.executions) {
      Execution before = seen.put(execution.key(), execution);
      assertTrue(before == null, () -> "twice: " + before + " and " + execution);
    }
    for (FleetJob job : fleet.jobs) {
      List<Execution> own =
          fleet.executions.stream()
              .filter(execution -> execution.claim.row().equals(job.row()))
              .sorted(Comparator.comparingLong(execution -> execution.from))
              .toList();
      if (job.schedule().policy().concurrency() == Concurrency.FORBID
          && job.rules().loss() == Loss.SKIP) {
        noOverlap(own);
      }
      String label = job.on().label();
      assertTrue(
          label == null || own.stream().noneMatch(execution -> execution.node.equals("n2")),
          "on a node without the label");
      goesOn(fleet, job);
    }
  }

  private static void noOverlap(List<Execution> own) {
    for (int i = 1; i < own.size(); i++) {
      Execution before = own.get(i - 1);
      Execution after = own.get(i);
      assertTrue(before.to <= after.from, () -> "overlap: " + before + " and " + after);
    }
  }

  /** After four quiet minutes the last period that was due is handled. */
  private static void goesOn(SimulatedFleet fleet, FleetJob job) {
    JobRow row = fleet.row(job);
    long now = fleet.databaseMillis() / 1000;
    long due = job.schedule().previous(now - 75);
    assertTrue(
        row.lastPeriod() >= due,
        () -> job.row() + " stopped at " + row + ", due was " + due + ", now is " + now);
  }
}
