/**
 * The control API: HTTP and JSON on a unix socket, so that people and programs can ask the daemon
 * and tell it what to do. Knows the daemon only through {@link dev.kron.daemon.api.Control}; what
 * it reads are immutable snapshots and files, and nothing here is ever waited for by the loop.
 */
@NullMarked
package dev.kron.daemon.api;

import org.jspecify.annotations.NullMarked;
