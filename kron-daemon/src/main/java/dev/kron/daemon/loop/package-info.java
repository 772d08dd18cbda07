/**
 * The one thread that owns all mutable state, its clocks, and the work beside it. It knows neither
 * jobs nor services.
 */
@NullMarked
package dev.kron.daemon.loop;

import org.jspecify.annotations.NullMarked;
