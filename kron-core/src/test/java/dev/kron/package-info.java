@NullMarked
package dev.kron;

import org.jspecify.annotations.NullMarked;
