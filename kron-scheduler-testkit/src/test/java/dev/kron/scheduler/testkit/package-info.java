/** The scheduler's contract, tested with the kit that its users test with. */
@NullMarked
package dev.kron.scheduler.testkit;

import org.jspecify.annotations.NullMarked;
