/** The rules of the house, held by a test. */
@NullMarked
package dev.kron.architecture;

import org.jspecify.annotations.NullMarked;
