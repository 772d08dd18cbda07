@NullMarked
package dev.kron.scheduler.micrometer;

import org.jspecify.annotations.NullMarked;
