/** Output of the program: text that cannot harm a terminal, JSON, times, drawings. */
@NullMarked
package dev.kron.cli.output;

import org.jspecify.annotations.NullMarked;
