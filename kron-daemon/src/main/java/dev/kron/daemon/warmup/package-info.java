/** Work done once before it is needed, so that the first job of the day begins in time. */
@NullMarked
package dev.kron.daemon.warmup;

import org.jspecify.annotations.NullMarked;
