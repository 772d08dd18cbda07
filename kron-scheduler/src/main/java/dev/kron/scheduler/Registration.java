package dev.kron.scheduler;

import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * Declares one task. Nothing is checked here: {@link Scheduler#initialize} checks the whole list at
 * once, before anything is scheduled.
 *
 * @param name unique in the list, not empty; the task's history is kept under it
 * @param cronExpression five POSIX fields, for example {@code "0 3 * * *"}
 * @param callback what the task does
 * @param retryDelay how long after a failure it is tried again; zero means at once
 * @param options what else was chosen
 */
public record Registration(
    String name,
    String cronExpression,
    Callback callback,
    Duration retryDelay,
    TaskOptions options) {

  /** A task about which nothing else is chosen. */
  public Registration(String name, String cronExpression, Callback callback, Duration retryDelay) {
    this(name, cronExpression, callback, retryDelay, TaskOptions.NONE);
  }

  /** Begins a registration; name, cron expression and callback must be given. */
  public static Builder builder() {
    return new Builder();
  }

  /** A registration in the making. */
  public static final class Builder {
    private @Nullable String name;
    private @Nullable String cronExpression;
    private @Nullable Callback callback;
    private Duration retryDelay = Duration.ofMinutes(1);
    private @Nullable ZoneId zone;
    private int retryLimit = TaskOptions.NONE.retryLimit();
    private double backoff = TaskOptions.NONE.backoff();
    private @Nullable Duration longestRetryDelay;
    private @Nullable Duration timeout;
    private Duration window = Duration.ZERO;

    private Builder() {}

    public Builder name(String chosen) {
      name = chosen;
      return this;
    }

    public Builder cronExpression(String chosen) {
      cronExpression = chosen;
      return this;
    }

    public Builder callback(Callback chosen) {
      callback = chosen;
      return this;
    }

    /** The time from a failure to the next attempt; a minute if not chosen. */
    public Builder retryDelay(Duration chosen) {
      retryDelay = chosen;
      return this;
    }

    /** The number of retries of a failed occurrence at most; 0 for none. */
    public Builder retryLimit(int chosen) {
      retryLimit = chosen;
      return this;
    }

    /**
     * Lets the retry delay grow.
     *
     * @param factor by which each delay is longer than the one before it, at least 1
     * @param longest how long a delay may become
     */
    public Builder backoff(double factor, Duration longest) {
      backoff = factor;
      longestRetryDelay = longest;
      return this;
    }

    /** The zone in which the cron expression is meant; the scheduler's if not chosen. */
    public Builder zone(ZoneId chosen) {
      zone = chosen;
      return this;
    }

    /**
     * The time after which a run is interrupted and counts as failed, whatever its callback does
     * then.
     */
    public Builder timeout(Duration chosen) {
      timeout = chosen;
      return this;
    }

    /**
     * The stretch of time after each occurrence in which the task starts, so that many instances of
     * a program do not all start in one second. The second is computed, never drawn: from the
     * scheduler's name, the task's name, the scheduler's instance and the occurrence.
     */
    public Builder window(Duration chosen) {
      window = chosen;
      return this;
    }

    /** The registration; what is missing or wrong in it is for {@code initialize} to say. */
    @SuppressWarnings("NullAway") // initialize says what is missing
    public Registration build() {
      return new Registration(
          name,
          cronExpression,
          callback,
          retryDelay,
          new TaskOptions(zone, retryLimit, backoff, longestRetryDelay, timeout, window));
    }
  }
}
