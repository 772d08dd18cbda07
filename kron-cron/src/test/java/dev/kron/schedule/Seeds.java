package dev.kron.schedule;

/** The seed of a property test: fixed, unless {@code -Dkron.seed} says otherwise. */
final class Seeds {
  private Seeds() {}

  static long of(long fixed) {
    return Long.getLong("kron.seed", fixed);
  }
}
