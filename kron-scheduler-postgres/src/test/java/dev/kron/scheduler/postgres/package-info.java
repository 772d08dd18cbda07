@NullMarked
package dev.kron.scheduler.postgres;

import org.jspecify.annotations.NullMarked;
