/**
 * Simulated fleets: several nodes, their machines, the network and the database between them, by a
 * seed, and a witness that judges what was executed where.
 */
@NullMarked
package dev.kron.simulation.fleet;

import org.jspecify.annotations.NullMarked;
