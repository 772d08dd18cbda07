/**
 * Bugs that a tool plants in the bytecode, at places that chance chooses, and who finds them: the
 * simulator or the tests.
 */
@NullMarked
package dev.kron.simulation.mutants;

import org.jspecify.annotations.NullMarked;
