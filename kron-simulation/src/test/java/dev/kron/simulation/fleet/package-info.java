@NullMarked
package dev.kron.simulation.fleet;

import org.jspecify.annotations.NullMarked;
