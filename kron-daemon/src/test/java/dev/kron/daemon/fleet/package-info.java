@NullMarked
package dev.kron.daemon.fleet;

import org.jspecify.annotations.NullMarked;
