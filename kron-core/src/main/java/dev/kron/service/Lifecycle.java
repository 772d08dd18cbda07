package dev.kron.service;

/**
 * How a service is started, stopped and started again.
 *
 * @param maxRestarts 0: no limit
 * @param stopSignal by name, with {@code SIG}
 * @param minUptimeMillis how long it has to be Running before its backoff is reset
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

  /** Reset only after this much of running where no health check proves anything earlier. */
  public static final long MIN_UPTIME_WITHOUT_CHECK_MILLIS = 10_000;

  /** What a file that says nothing gets. */
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

  /** How long a restart waits that follows so many others. */
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

  /** When a service that ended is started again, while it is wanted up. */
  public enum Restart {
    ALWAYS,
    ON_FAILURE,
    NEVER
  }
}
