/** How a user of the library tests schedules. */
@NullMarked
package dev.kron.examples.scheduler;

import org.jspecify.annotations.NullMarked;
