package dev.kron.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The events of a history, drawn from a seed: what happens, and not what comes of it. */
public interface Script {
  /** One step after the other; each brings its own chance along. */
  List<?> steps();

  /** The same without some steps in a row. */
  Script without(int start, int count);

  /**
   * @param traced whether its events are kept, for people
   */
  Played play(boolean traced);

  /** Draws the history of a seed. */
  @FunctionalInterface
  interface Source {
    /**
     * @param steps on average
     */
    Script of(long seed, int steps);
  }

  /**
   * The outcome of a script.
   *
   * @param violation null: everything held
   * @param executions of commands
   */
  record Played(@Nullable Violation violation, Trace trace, int executions) {}
}
