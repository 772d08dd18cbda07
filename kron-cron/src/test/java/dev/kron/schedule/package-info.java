/** Checks of schedules and decisions against vectors, oracles and statistics. */
@NullMarked
package dev.kron.schedule;

import org.jspecify.annotations.NullMarked;
