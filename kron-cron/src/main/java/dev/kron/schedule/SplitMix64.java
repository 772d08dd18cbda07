package dev.kron.schedule;

/** The stream of draws as two pure functions: the state after a draw, and the draw of a state. */
final class SplitMix64 {
  private SplitMix64() {}

  static long advance(long state) {
    return state + 0x9E3779B97F4A7C15L;
  }

  /** A number in [0, 1) with 53 random bits, from a state that was advanced. */
  static double draw(long state) {
    long z = state;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return ((z ^ (z >>> 31)) >>> 11) * 0x1p-53;
  }
}
