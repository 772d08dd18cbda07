/** How the starts of many jobs spread over time, counted and drawn. */
@NullMarked
package dev.kron.cli.forecast;

import org.jspecify.annotations.NullMarked;
