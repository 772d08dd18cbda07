/** Tests. */
@NullMarked
package dev.kron.cli.line;

import org.jspecify.annotations.NullMarked;
