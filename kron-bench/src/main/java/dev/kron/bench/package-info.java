/** Measurements: what the project promises about speed, each against its target or its peers. */
@NullMarked
package dev.kron.bench;

import org.jspecify.annotations.NullMarked;
