@NullMarked
package dev.kron.simulation;

import org.jspecify.annotations.NullMarked;
