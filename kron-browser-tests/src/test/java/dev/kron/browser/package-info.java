/** Tests of the dashboard in a real browser. */
@NullMarked
package dev.kron.browser;

import org.jspecify.annotations.NullMarked;
