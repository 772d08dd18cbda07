/** Messages on their way out of the daemon: the outbox in the state directory, and the channels. */
@NullMarked
package dev.kron.daemon.notices;

import org.jspecify.annotations.NullMarked;
