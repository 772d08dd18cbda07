package dev.kron.schedule;

/**
 * How the second of a period is selected from its window.
 *
 * @param exact whether one draw goes over the allowed seconds only, instead of up to 64 over all of
 *     them; never so where every second is allowed, since that is the same
 */
record Selection(
    Window window, Distribution distribution, Seed seed, Constraints constraints, boolean exact) {
  /** The modifier that asks for an exact choice. */
  static final String EXACT = "@choose(exact)";

  Selection {
    exact = exact && !constraints.isEmpty();
  }
}
