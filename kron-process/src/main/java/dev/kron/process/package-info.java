/**
 * Operating-system processes: started through a keeper that outlives the daemon, signalled only if
 * their identity is proved, adopted again after a restart, and reaped by one thread.
 */
@NullMarked
package dev.kron.process;

import org.jspecify.annotations.NullMarked;
