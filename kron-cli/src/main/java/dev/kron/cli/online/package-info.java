/**
 * The commands that ask a running daemon, and how they reach it: a few hundred lines of HTTP on a
 * unix socket, because {@code kron status} has to answer before a library would be loaded. They
 * know nothing of the daemon but its API.
 */
@NullMarked
package dev.kron.cli.online;

import org.jspecify.annotations.NullMarked;
