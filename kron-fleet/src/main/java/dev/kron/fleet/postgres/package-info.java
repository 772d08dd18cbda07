/** The tables of a fleet in PostgreSQL. */
@NullMarked
package dev.kron.fleet.postgres;

import org.jspecify.annotations.NullMarked;
