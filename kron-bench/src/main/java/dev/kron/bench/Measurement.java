package dev.kron.bench;

import java.util.List;

/** Something the project promises about speed, and how to find out. */
interface Measurement {
  /** One line for the usage text. */
  String title();

  /**
   * Measures and prints a table with figures, ratios and targets.
   *
   * @return whether every target was met
   */
  boolean run(List<String> options) throws Exception;
}
