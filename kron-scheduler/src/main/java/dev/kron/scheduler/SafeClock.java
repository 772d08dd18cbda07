package dev.kron.scheduler;

import java.time.Clock;
import java.time.Instant;

/**
 * The host's clock, as far as a scheduler can trust it. While it throws, time stands still at its
 * last reading, so that nothing becomes due and everything else goes on; readings outside of the
 * years 1 to 9999, which cron expressions know, are taken for the nearest one inside.
 */
final class SafeClock {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);

  /** 0001-01-01T00:00:00Z. */
  static final long FIRST_MILLIS = -62_135_596_800_000L;

  /** 9999-12-31T23:59:59.999Z. */
  static final long LAST_MILLIS = 253_402_300_799_999L;

  private final Clock clock;
  private volatile long latestMillis;
  private volatile boolean failing;

  SafeClock(Clock clock) {
    this.clock = clock;
  }

  /**
   * Makes sure that there is a reading to begin with.
   *
   * @throws SchedulerFailureException if the clock throws
   */
  void require() {
    try {
      read();
    } catch (Throwable thrown) {
      throw new SchedulerFailureException(
          "Cannot initialize scheduler: its clock failed with " + SafeLog.describe(thrown), thrown);
    }
  }

  long millis() {
    try {
      return read();
    } catch (Throwable thrown) {
      if (!failing) {
        failing = true;
        LOG.error("The clock cannot be read: nothing becomes due until it can", thrown);
      }
      return latestMillis;
    }
  }

  Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  private long read() {
    long millis = Math.clamp(hostMillis(), FIRST_MILLIS, LAST_MILLIS);
    latestMillis = millis;
    if (failing) {
      failing = false;
      LOG.info("The clock can be read again");
    }
    return millis;
  }

  private long hostMillis() {
    try {
      return clock.millis();
    } catch (ArithmeticException beyondMilliseconds) {
      return clock.instant().isBefore(Instant.EPOCH) ? FIRST_MILLIS : LAST_MILLIS;
    }
  }
}
