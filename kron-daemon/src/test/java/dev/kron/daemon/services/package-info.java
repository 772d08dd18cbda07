/** The daemon under fire: real processes, real signals, real files. */
@NullMarked
package dev.kron.daemon.services;

import org.jspecify.annotations.NullMarked;
