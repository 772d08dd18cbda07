/**
 * What instances share that agree through PostgreSQL: {@link dev.kron.cluster.Lease leases}, {@link
 * dev.kron.cluster.Watch who is lost}, the {@link dev.kron.cluster.DatabaseClock database's clock}.
 */
@NullMarked
package dev.kron.cluster;

import org.jspecify.annotations.NullMarked;
