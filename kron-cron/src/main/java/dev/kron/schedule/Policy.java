package dev.kron.schedule;

/**
 * The rules for a period that is due: no part of the decision itself.
 *
 * @param deadlineNanos how late a period may still be started after an absence
 * @param suspend whether the job is not started at all
 */
public record Policy(Concurrency concurrency, long deadlineNanos, boolean suspend) {
  public static final Policy DEFAULT = new Policy(Concurrency.FORBID, 0, false);

  /** What to do with a period that falls due while an earlier run goes on. */
  public enum Concurrency {
    ALLOW("allow"),
    FORBID("forbid"),
    REPLACE("replace");

    private final String text;

    Concurrency(String text) {
      this.text = text;
    }

    /** The word in the schedule language. */
    public String text() {
      return text;
    }
  }

  public Policy {
    if (deadlineNanos < 0) {
      throw new IllegalArgumentException("deadline of " + GoDuration.format(deadlineNanos));
    }
  }

  /** The deadline in whole seconds, as lateness is measured. */
  public long deadlineSeconds() {
    return deadlineNanos / 1_000_000_000;
  }

  /** Whether it is the one that a schedule without {@code @policy} has. */
  boolean isDefault() {
    return concurrency == Concurrency.FORBID && deadlineNanos == 0 && !suspend;
  }

  @Override
  public String toString() {
    return "@policy(concurrency="
        + concurrency.text()
        + ",deadline="
        + GoDuration.format(deadlineNanos)
        + ",suspend="
        + suspend
        + ")";
  }
}
