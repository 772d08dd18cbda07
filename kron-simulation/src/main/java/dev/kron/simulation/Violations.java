package dev.kron.simulation;

import org.jspecify.annotations.Nullable;

/** The invariants that did not hold in a history; the first of them ends it. */
final class Violations {
  private @Nullable Violation first;

  /** A violation to be thrown; it is not lost where somebody catches everything. */
  Violation found(Invariant invariant, String what) {
    var violation = new Violation(invariant, what);
    if (first == null) {
      first = violation;
    }
    return violation;
  }

  /** Throws the first violation, if there is one. */
  void check() {
    if (first != null) {
      throw first;
    }
  }
}
