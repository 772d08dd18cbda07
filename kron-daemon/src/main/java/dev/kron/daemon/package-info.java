/** The daemon: one loop that owns all that can change, and what connects it to the world. */
@NullMarked
package dev.kron.daemon;

import org.jspecify.annotations.NullMarked;
