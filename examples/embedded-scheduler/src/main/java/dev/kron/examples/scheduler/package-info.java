/** An example: a shop whose chores run on the scheduler library. */
@NullMarked
package dev.kron.examples.scheduler;

import org.jspecify.annotations.NullMarked;
