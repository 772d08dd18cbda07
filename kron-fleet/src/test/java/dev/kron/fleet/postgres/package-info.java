@NullMarked
package dev.kron.fleet.postgres;

import org.jspecify.annotations.NullMarked;
