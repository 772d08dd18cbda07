/** A schedule and its decisions: window, seed, distribution, constraints, the chosen second. */
@NullMarked
package dev.kron.schedule;

import org.jspecify.annotations.NullMarked;
