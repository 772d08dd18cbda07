/**
 * Text of others: made visible, put in quotes for a shell, and the word that was probably meant.
 */
@NullMarked
package dev.kron.text;

import org.jspecify.annotations.NullMarked;
