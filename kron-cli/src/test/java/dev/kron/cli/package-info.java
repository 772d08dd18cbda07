/** Tests. */
@NullMarked
package dev.kron.cli;

import org.jspecify.annotations.NullMarked;
