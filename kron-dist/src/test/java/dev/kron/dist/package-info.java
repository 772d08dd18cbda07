/** Installs what was packed, and uses it as people do. */
@NullMarked
package dev.kron.dist;

import org.jspecify.annotations.NullMarked;
