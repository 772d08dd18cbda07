package dev.kron.job;

/** The final outcome of a period. State files contain the names in lower case. */
public enum Outcome {
  EXECUTED("executed"),
  SKIPPED("skipped"),
  MISSED("missed"),
  UNSCHEDULABLE("unschedulable");

  private final String text;

  Outcome(String text) {
    this.text = text;
  }

  /** The word that stands in state files and listings. */
  public String text() {
    return text;
  }
}
