/** Services and what they depend on, drawn. */
@NullMarked
package dev.kron.cli.graph;

import org.jspecify.annotations.NullMarked;
