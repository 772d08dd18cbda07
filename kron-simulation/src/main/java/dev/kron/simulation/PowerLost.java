package dev.kron.simulation;

/** The machine has no power any more: nothing goes on after this, in no process. */
final class PowerLost extends Error {
  private static final long serialVersionUID = 1L;

  PowerLost() {
    super("power lost", null, false, false);
  }
}
