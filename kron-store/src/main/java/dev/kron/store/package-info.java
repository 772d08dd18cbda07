/**
 * Everything that must survive a restart: the state directory and its lock, job states, the
 * arrivals log, the ledger of up-times and the run directories, all through the {@link
 * dev.kron.store.Disk} port.
 */
@NullMarked
package dev.kron.store;

import org.jspecify.annotations.NullMarked;
