/** What tests of several modules share; no program depends on it. */
@NullMarked
package dev.kron.testing;

import org.jspecify.annotations.NullMarked;
