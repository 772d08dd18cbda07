package dev.kron.job;

/** How a period ended for good; the names in files are the lower-case ones of the state format. */
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
