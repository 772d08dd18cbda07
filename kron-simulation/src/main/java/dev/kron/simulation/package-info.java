/** The daemon as it is, on a world that is not: one seed, one history, and what must hold in it. */
@NullMarked
package dev.kron.simulation;

import org.jspecify.annotations.NullMarked;
