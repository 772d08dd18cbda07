/** JSON, written and read. */
@NullMarked
package dev.kron.json;

import org.jspecify.annotations.NullMarked;
