package dev.kron.simulation.mutants;

import org.jspecify.annotations.Nullable;

/**
 * What became of a run in a JVM of its own.
 *
 * @param found what went wrong; null: nothing
 */
record Verdict(@Nullable String found, long millis, String output) {
  /** Stands before what was found, on a line of its own. */
  static final String MARK = "FOUND ";
}
