/** Tests. */
@NullMarked
package dev.kron.cli.lint;

import org.jspecify.annotations.NullMarked;
