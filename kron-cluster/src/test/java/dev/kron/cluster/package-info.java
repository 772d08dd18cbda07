@NullMarked
package dev.kron.cluster;

import org.jspecify.annotations.NullMarked;
