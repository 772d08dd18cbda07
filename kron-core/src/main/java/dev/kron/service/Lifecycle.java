package dev.kron.service;

/**
 * The rules by which a service is started, stopped and restarted.
 *
 * @param maxRestarts 0 for no limit
 * @param stopSignal by name, with {@code SIG}
 * @param minUptimeMillis how long the service must be running before its backoff is reset
 * @param startStableMillis how long the service must be running before its start is a success
 */
public record Lifecycle(
    Restart restart,
    long restartDelayMillis,
    long restartDelayMaxMillis,
    int maxRestarts,
    long startTimeoutMillis,
    long stopTimeoutMillis,
    String stopSignal,
    long minUptimeMillis,
    long startStableMillis,
    ExitCodes exitCodes) {

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
        hasHealthCheck ? 0 : MIN_UPTIME_WITHOUT_CHECK_MILLIS,
        1_000,
        ExitCodes.STANDARD);
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
        || minUptimeMillis < 0
        || startStableMillis < 0) {
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
              + minUptimeMillis
              + ", "
              + startStableMillis);
    }
  }

  /** The cases in which a service that is wanted up is restarted after it ended. */
  public enum Restart {
    ALWAYS,
    ON_FAILURE,
    NEVER
  }

  /** The same, to be changed in parts. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** The components by their names. */
  public static final class Builder {
    private Restart restart;
    private long restartDelayMillis;
    private long restartDelayMaxMillis;
    private int maxRestarts;
    private long startTimeoutMillis;
    private long stopTimeoutMillis;
    private String stopSignal;
    private long minUptimeMillis;
    private long startStableMillis;
    private ExitCodes exitCodes;

    private Builder(Lifecycle other) {
      restart = other.restart;
      restartDelayMillis = other.restartDelayMillis;
      restartDelayMaxMillis = other.restartDelayMaxMillis;
      maxRestarts = other.maxRestarts;
      startTimeoutMillis = other.startTimeoutMillis;
      stopTimeoutMillis = other.stopTimeoutMillis;
      stopSignal = other.stopSignal;
      minUptimeMillis = other.minUptimeMillis;
      startStableMillis = other.startStableMillis;
      exitCodes = other.exitCodes;
    }

    public Builder restart(Restart restart) {
      this.restart = restart;
      return this;
    }

    public Builder restartDelayMillis(long restartDelayMillis) {
      this.restartDelayMillis = restartDelayMillis;
      return this;
    }

    public Builder restartDelayMaxMillis(long restartDelayMaxMillis) {
      this.restartDelayMaxMillis = restartDelayMaxMillis;
      return this;
    }

    public Builder maxRestarts(int maxRestarts) {
      this.maxRestarts = maxRestarts;
      return this;
    }

    public Builder startTimeoutMillis(long startTimeoutMillis) {
      this.startTimeoutMillis = startTimeoutMillis;
      return this;
    }

    public Builder stopTimeoutMillis(long stopTimeoutMillis) {
      this.stopTimeoutMillis = stopTimeoutMillis;
      return this;
    }

    public Builder stopSignal(String stopSignal) {
      this.stopSignal = stopSignal;
      return this;
    }

    public Builder minUptimeMillis(long minUptimeMillis) {
      this.minUptimeMillis = minUptimeMillis;
      return this;
    }

    public Builder startStableMillis(long startStableMillis) {
      this.startStableMillis = startStableMillis;
      return this;
    }

    public Builder exitCodes(ExitCodes exitCodes) {
      this.exitCodes = exitCodes;
      return this;
    }

    public Lifecycle build() {
      return new Lifecycle(
          restart,
          restartDelayMillis,
          restartDelayMaxMillis,
          maxRestarts,
          startTimeoutMillis,
          stopTimeoutMillis,
          stopSignal,
          minUptimeMillis,
          startStableMillis,
          exitCodes);
    }
  }
}
