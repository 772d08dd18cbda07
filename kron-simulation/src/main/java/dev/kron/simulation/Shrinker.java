package dev.kron.simulation;

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

  /** The shortest script found that violates the same invariant. */
  static Script shrink(Script script, Invariant invariant) {
    return new Shrinker(invariant).shrink(script);
  }

  private Script shrink(Script script) {
    Script shortest = script;
    int chunk = Math.max(1, script.steps().size() / 2);
    while (attempts < ATTEMPTS) {
      Script shorter = without(shortest, chunk);
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
  private Script without(Script script, int chunk) {
    Script shortest = script;
    for (int start = script.steps().size() - chunk; start >= 0 && attempts < ATTEMPTS; ) {
      if (start + chunk <= shortest.steps().size()) {
        Script shorter = shortest.without(start, chunk);
        if (fails(shorter)) {
          shortest = shorter;
        }
      }
      start -= chunk;
    }
    return shortest;
  }

  private boolean fails(Script script) {
    attempts++;
    Violation violation = script.play(false).violation();
    return violation != null && violation.invariant() == invariant;
  }
}
