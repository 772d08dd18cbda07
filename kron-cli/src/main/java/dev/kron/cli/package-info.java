/**
 * The command {@code kron}: one class a command, offline ones on the core and the configuration.
 */
@NullMarked
package dev.kron.cli;

import org.jspecify.annotations.NullMarked;
