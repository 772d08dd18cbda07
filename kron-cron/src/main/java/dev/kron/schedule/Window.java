package dev.kron.schedule;

/**
 * The stretch of time around a nominal time in which a period's second is chosen.
 *
 * <p>A nominal time is a whole second, so both ends lie at fixed distances from it; they are
 * computed once, in nanoseconds, and cut down to whole seconds.
 *
 * @param durationNanos 0 to {@link #LONGEST_NANOS}
 */
public record Window(Mode mode, long durationNanos) {
  /** 8784h, 366 days. */
  public static final long LONGEST_NANOS = 8784L * 3600 * 1_000_000_000;

  /** The nominal second itself. */
  public static final Window NONE = new Window(Mode.AFTER, 0);

  private static final long SECOND = 1_000_000_000;

  /** Where the window lies. */
  public enum Mode {
    AFTER("after"),
    BEFORE("before"),
    /** Also written {@code center}. */
    AROUND("around");

    private final String text;

    Mode(String text) {
      this.text = text;
    }

    /** The word in the schedule language. */
    public String text() {
      return text;
    }
  }

  public Window {
    if (durationNanos < 0 || durationNanos > LONGEST_NANOS) {
      throw new IllegalArgumentException("window of " + GoDuration.format(durationNanos));
    }
  }

  /** From the nominal time to the window's first second; 0 or negative. */
  public long startOffsetSeconds() {
    return Math.floorDiv(-nanosBeforeNominal(), SECOND);
  }

  /** From the nominal time to the window's last second, which is part of it; 0 or positive. */
  public long endOffsetSeconds() {
    return Math.floorDiv(durationNanos - nanosBeforeNominal(), SECOND);
  }

  /** W of the specification: the last second minus the first. */
  public long seconds() {
    return endOffsetSeconds() - startOffsetSeconds();
  }

  private long nanosBeforeNominal() {
    return switch (mode) {
      case AFTER -> 0;
      case BEFORE -> durationNanos;
      case AROUND -> durationNanos / 2;
    };
  }

  /** Whether it is the one that a schedule without {@code @win} has. */
  boolean isNone() {
    return mode == Mode.AFTER && durationNanos == 0;
  }

  @Override
  public String toString() {
    return "@win(" + mode.text() + "," + GoDuration.format(durationNanos) + ")";
  }
}
