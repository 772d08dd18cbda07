package dev.kron.simulation;

/** An invariant did not hold. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final Invariant invariant;

  public Violation(Invariant invariant, String what) {
    super(invariant + ": " + what);
    this.invariant = invariant;
  }

  public Violation(Invariant invariant, String what, Throwable cause) {
    super(invariant + ": " + what, cause);
    this.invariant = invariant;
  }

  public Invariant invariant() {
    return invariant;
  }
}
