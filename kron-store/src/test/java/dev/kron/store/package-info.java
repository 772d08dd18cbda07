/** Tests of what must survive. */
@NullMarked
package dev.kron.store;

import org.jspecify.annotations.NullMarked;
