/**
 * Jobs: when they are due, how they move, what becomes of their runs. Knows nothing of services.
 */
@NullMarked
package dev.kron.daemon.jobs;

import org.jspecify.annotations.NullMarked;
