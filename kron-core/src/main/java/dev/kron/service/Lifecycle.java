package dev.kron.service;

/**
 * The rules by which a service is started, stopped and restarted.
 *
 * @param maxRestarts 0 for no limit
 * @param stopSignal by name, with {@code SIG}
 * @param minUptimeMillis how long the service must be running before its backoff is reset
 */
public record Lifecycle(
    Restart restart,
    long restartDelayMillis,
    long restartDelayMaxMillis,
    int maxRestarts,
    long startTimeoutMillis,
    long stopTimeoutMillis,
    String stopSignal,
    long minUptimeMillis) {

  /** The uptime after which the backoff is reset if no health check proves health earlier. */
  public static final long MIN_UPTIME_WITHOUT_CHECK_MILLIS = 10_000;

  /** The rules for a service whose file says nothing about them. */
  public static Lifecycle standard(boolean hasHealthCheck) {
    return new Lifecycle(
        Restart.ON_FAILURE,
        1_000,
        300_000,
        10,
        30_000,
        10_000,
        "SIGTERM",
        hasHealthCheck ? 0 : MIN_UPTIME_WITHOUT_CHECK_MILLIS);
  }

  /** The delay before a restart that follows this many others. */
  public long delayMillis(int restarts) {
    long delay = restartDelayMillis;
    for (int i = 0; i < restarts && delay < restartDelayMaxMillis; i++) {
      delay = Math.min(delay * 2, restartDelayMaxMillis);
    }
    return delay;
  }

  public Lifecycle {
    if (restartDelayMillis < 0
        || restartDelayMaxMillis < restartDelayMillis
        || maxRestarts < 0
        || startTimeoutMillis <= 0
        || stopTimeoutMillis <= 0
        || minUptimeMillis < 0) {
      throw new IllegalArgumentException(
          "a delay, count or timeout is out of its bounds: "
              + restartDelayMillis
              + ", "
              + restartDelayMaxMillis
              + ", "
              + maxRestarts
              + ", "
              + startTimeoutMillis
              + ", "
              + stopTimeoutMillis
              + ", "
              + minUptimeMillis);
    }
  }

  /** The cases in which a service that is wanted up is restarted after it ended. */
  public enum Restart {
    ALWAYS,
    ON_FAILURE,
    NEVER
  }
}
