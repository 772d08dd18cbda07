@NullMarked
package dev.kron.text;

import org.jspecify.annotations.NullMarked;
