/**
 * The embeddable scheduler: tasks declared as data, run by POSIX cron expressions, retried after
 * failure, remembered across restarts. Start at {@link dev.kron.scheduler.DeclarativeScheduler}.
 */
@NullMarked
package dev.kron.scheduler;

import org.jspecify.annotations.NullMarked;
