package dev.kron.simulation;

/** An invariant did not hold. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final Invariant invariant;

  Violation(Invariant invariant, String what) {
    super(invariant + ": " + what);
    this.invariant = invariant;
  }

  Violation(Invariant invariant, String what, Throwable cause) {
    super(invariant + ": " + what, cause);
    this.invariant = invariant;
  }

  Invariant invariant() {
    return invariant;
  }
}
