/** What depends on what, drawn. */
@NullMarked
package dev.kron.cli.graph;

import org.jspecify.annotations.NullMarked;
