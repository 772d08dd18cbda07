/**
 * This machine as a node of a fleet: what it has to remember, its way to the database, and what a
 * claim means for the jobs here. Loaded only where there is a {@code fleet.toml}.
 */
@NullMarked
package dev.kron.daemon.fleet;

import org.jspecify.annotations.NullMarked;
