/** Tests. */
@NullMarked
package dev.kron.cli.output;

import org.jspecify.annotations.NullMarked;
