/**
 * The command line itself: what a command declares, and the three readings of one declaration
 * (parsing, help, completion). Small and without reflection, because a command that answers in a
 * tenth of a second has no time for a framework.
 */
@NullMarked
package dev.kron.cli.line;

import org.jspecify.annotations.NullMarked;
