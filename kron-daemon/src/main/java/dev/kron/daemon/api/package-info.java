/**
 * The control API: HTTP and JSON on a unix socket, so that people and programs can query and
 * control the daemon. It knows the daemon only through {@link dev.kron.daemon.api.Control}. It
 * reads immutable snapshots and files, and the loop never waits for it.
 */
@NullMarked
package dev.kron.daemon.api;

import org.jspecify.annotations.NullMarked;
