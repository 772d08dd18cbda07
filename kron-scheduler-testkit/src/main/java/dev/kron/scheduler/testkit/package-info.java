/**
 * Tests a year of schedules in a second: a scheduler whose clock a test moves by hand. Start at
 * {@link dev.kron.scheduler.testkit.SchedulerTestKit}.
 */
@NullMarked
package dev.kron.scheduler.testkit;

import org.jspecify.annotations.NullMarked;
