/**
 * Tasks in PostgreSQL, shared by any number of instances of a program. Start at {@link
 * dev.kron.scheduler.postgres.PostgresTaskStore}.
 */
@NullMarked
package dev.kron.scheduler.postgres;

import org.jspecify.annotations.NullMarked;
