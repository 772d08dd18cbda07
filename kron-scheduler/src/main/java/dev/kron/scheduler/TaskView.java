package dev.kron.scheduler;

import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * One task at one moment: a snapshot that does not change any more.
 *
 * @param zone where the expression is meant
 * @param next when the task starts by its expression (and its window) next, a past moment if it is
 *     to start at once; null while it is paused, and where another instance that shares it has
 *     registered it otherwise since: it does not start here then
 * @param lastAttemptAt start of the most recent run
 * @param lastSuccessAt end of the most recent run that succeeded
 * @param lastFailureAt end of the most recent run that failed
 * @param runningSince start of the run in progress; null when it is not running
 * @param retryAt when it will be tried again; null unless it is awaiting a retry
 * @param pausedSince null unless it is paused
 * @param attempt the number of the attempt that is running or was the last one to fail, from 1; 0
 *     if neither is the case
 */
public record TaskView(
    String name,
    String cronExpression,
    ZoneId zone,
    @Nullable Instant next,
    @Nullable Instant lastAttemptAt,
    @Nullable Instant lastSuccessAt,
    @Nullable Instant lastFailureAt,
    @Nullable Instant runningSince,
    @Nullable Instant retryAt,
    @Nullable Instant pausedSince,
    int attempt) {}
