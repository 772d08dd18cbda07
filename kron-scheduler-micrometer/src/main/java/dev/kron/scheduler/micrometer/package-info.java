/**
 * Metrics and tracing of a scheduler: {@link dev.kron.scheduler.micrometer.SchedulerMetrics} counts
 * and times, {@link dev.kron.scheduler.micrometer.ObservedRuns} makes every run an observation.
 */
@NullMarked
package dev.kron.scheduler.micrometer;

import org.jspecify.annotations.NullMarked;
