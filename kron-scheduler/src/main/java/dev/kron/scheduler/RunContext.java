package dev.kron.scheduler;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The run of a callback, as far as it may know it.
 *
 * @param schedulerName what the scheduler is called
 * @param runId unique among all runs of all schedulers
 * @param attempt 1 for the first attempt at an occurrence, 2 for its first retry
 * @param scheduledAt the occurrence of the cron expression that it answers; null if somebody asked
 *     for the run, or it is not known
 * @param fencingToken a number that rises with every start of the task in the whole cluster; what
 *     the task writes to can refuse a lower one than it has seen. 0 where one process has the store
 *     to itself
 */
public record RunContext(
    String schedulerName,
    String taskName,
    String runId,
    int attempt,
    @Nullable Instant scheduledAt,
    long fencingToken) {}
