package dev.kron.cron;

/** The rule for local times that a change of the clocks skips or repeats. */
public enum ClockChangeRule {
  /** A minute that is skipped never comes, one that is repeated comes twice. */
  BOTH("both"),
  /** The same, but of two equal minutes only the first counts. */
  SKIP("skip"),
  /** What is skipped comes at the first second after the gap; of two equal minutes the first. */
  SHIFT("shift"),
  /**
   * As cron has it: times of expressions whose minute and hour do not begin with a star are
   * shifted, unless the clocks change by three hours or more; for all others nothing is done.
   */
  CRON("cron");

  private static final int CORRECTION_SECONDS = 3 * 3600;

  private final String text;

  ClockChangeRule(String text) {
    this.text = text;
  }

  /** The word in the schedule language. */
  public String text() {
    return text;
  }

  /** What it means for an expression: cron leaves those with stars alone. */
  ClockChangeRule on(CronExpression expression) {
    return this == CRON && !expression.hasFixedTimes() ? BOTH : this;
  }

  /** Whether minutes that a change by so many seconds repeats count only once. */
  boolean dropsRepeats(int seconds) {
    return switch (this) {
      case BOTH -> false;
      case SKIP, SHIFT -> true;
      case CRON -> seconds < CORRECTION_SECONDS;
    };
  }

  /** Whether minutes that a change by so many seconds skips come right after it. */
  boolean movesSkipped(int seconds) {
    return switch (this) {
      case BOTH, SKIP -> false;
      case SHIFT -> true;
      case CRON -> seconds < CORRECTION_SECONDS;
    };
  }
}
