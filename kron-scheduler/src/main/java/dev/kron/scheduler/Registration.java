package dev.kron.scheduler;

import java.time.Duration;

/**
 * Declares one task. Nothing is checked here: {@link Scheduler#initialize} checks the whole list at
 * once, before anything is scheduled.
 *
 * @param name unique in the list, not empty; the task's history is kept under it
 * @param cronExpression five POSIX fields, for example {@code "0 3 * * *"}
 * @param callback what the task does
 * @param retryDelay how long after a failure it is tried again; zero means at once
 */
public record Registration(
    String name, String cronExpression, Callback callback, Duration retryDelay) {}
