package dev.kron.simulation;

/** The thread that a daemon hangs by: it can be cut before any effect that it has on the world. */
final class Lifeline {
  private long effectsLeft = Long.MAX_VALUE;
  private boolean cut;

  /** The daemon dies before its n-th effect from now. */
  void cutBefore(long effect) {
    effectsLeft = effect;
  }

  /** The daemon dies now. */
  void cut() {
    cut = true;
  }

  boolean isCut() {
    return cut;
  }

  /** The daemon is about to have an effect, or to learn of one. */
  void reach() {
    if (cut || --effectsLeft <= 0) {
      cut = true;
      throw new DaemonDied();
    }
  }
}
