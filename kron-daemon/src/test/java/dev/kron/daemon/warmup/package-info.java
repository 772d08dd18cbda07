/** The daemon under fire: real processes, real signals, real files. */
@NullMarked
package dev.kron.daemon.warmup;

import org.jspecify.annotations.NullMarked;
