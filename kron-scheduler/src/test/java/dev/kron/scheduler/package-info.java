/** The scheduler's rules on random traces, its files under every kind of failure, its threads. */
@NullMarked
package dev.kron.scheduler;

import org.jspecify.annotations.NullMarked;
