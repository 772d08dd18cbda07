package dev.kron.scheduler;

import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The choices for a task beyond the four things that every registration has; {@link
 * Registration#builder} chooses it.
 *
 * @param zone where the cron expression is meant; null for the scheduler's own zone
 * @param retryLimit how often a failed occurrence is tried again at most
 * @param backoff by how much each retry delay is longer than the one before it; 1 for not at all
 * @param longestRetryDelay to which backoff may grow the delay; null for no limit
 * @param timeout after which a run is interrupted and counts as failed; null for none
 * @param window the stretch of time after each occurrence in which the task starts, at a second
 *     that is computed from the scheduler's name, the task's name, the instance and the occurrence;
 *     zero for the occurrence itself
 */
public record TaskOptions(
    @Nullable ZoneId zone,
    int retryLimit,
    double backoff,
    @Nullable Duration longestRetryDelay,
    @Nullable Duration timeout,
    Duration window) {
  /** The options of a task about which nothing but the four things is chosen. */
  public static final TaskOptions NONE =
      new TaskOptions(null, Integer.MAX_VALUE, 1, null, null, Duration.ZERO);
}
