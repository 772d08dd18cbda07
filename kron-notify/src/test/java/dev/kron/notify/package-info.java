@NullMarked
package dev.kron.notify;

import org.jspecify.annotations.NullMarked;
