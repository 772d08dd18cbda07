package dev.kron.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Leaves out of a history whatever it does not need to go wrong in the same way. Each step brings
 * its own chance along, so the rest stays what it was when one is left out.
 */
final class Shrinker {
  private static final int ATTEMPTS = 3_000;

  private final Invariant invariant;
  private int attempts;

  private Shrinker(Invariant invariant) {
    this.invariant = invariant;
  }

  /** The shortest scenario found that violates the same invariant. */
  static Scenario shrink(Scenario scenario, Invariant invariant) {
    return new Shrinker(invariant).shrink(scenario);
  }

  private Scenario shrink(Scenario scenario) {
    Scenario shortest = scenario;
    int chunk = Math.max(1, scenario.steps().size() / 2);
    while (attempts < ATTEMPTS) {
      Scenario shorter = without(shortest, chunk);
      if (shorter.steps().size() < shortest.steps().size()) {
        shortest = shorter;
      } else if (chunk == 1) {
        break;
      } else {
        chunk = chunk / 2;
      }
    }
    return shortest;
  }

  /** Tries to leave out any so many steps in a row. */
  private Scenario without(Scenario scenario, int chunk) {
    Scenario shortest = scenario;
    for (int start = scenario.steps().size() - chunk; start >= 0 && attempts < ATTEMPTS; ) {
      List<HistoryStep> steps = new ArrayList<>(shortest.steps());
      if (start + chunk <= steps.size()) {
        steps.subList(start, start + chunk).clear();
        Scenario shorter = shortest.withSteps(steps);
        if (fails(shorter)) {
          shortest = shorter;
        }
      }
      start -= chunk;
    }
    return shortest;
  }

  private boolean fails(Scenario scenario) {
    attempts++;
    Violation violation = History.play(scenario, false).violation();
    return violation != null && violation.invariant() == invariant;
  }
}
