/**
 * One schedule on many machines. Every node computes the same second for the same period, so
 * nothing about the future has to be agreed on; all that is shared is who has a period. {@link
 * dev.kron.fleet.FleetDatabase} is the place where that is answered, by one conditional update of a
 * job's row; {@link dev.kron.fleet.FleetNode} is what a node asks there, and when.
 */
@NullMarked
package dev.kron.fleet;

import org.jspecify.annotations.NullMarked;
