@NullMarked
package dev.kron.fleet;

import org.jspecify.annotations.NullMarked;
