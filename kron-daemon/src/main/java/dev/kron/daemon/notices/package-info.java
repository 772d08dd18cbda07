/** Messages leave the daemon: the outbox in the state directory, and the way to the channels. */
@NullMarked
package dev.kron.daemon.notices;

import org.jspecify.annotations.NullMarked;
