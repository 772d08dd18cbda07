@NullMarked
package dev.kron.daemon.notices;

import org.jspecify.annotations.NullMarked;
