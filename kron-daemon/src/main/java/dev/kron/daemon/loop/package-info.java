/**
 * The one thread that owns all that can change, the clocks it looks at, and the work that goes on
 * beside it. Knows neither jobs nor services.
 */
@NullMarked
package dev.kron.daemon.loop;

import org.jspecify.annotations.NullMarked;
