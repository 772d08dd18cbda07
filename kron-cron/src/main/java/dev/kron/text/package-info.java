/** Other people's text: made visible, and the word that was probably meant. */
@NullMarked
package dev.kron.text;

import org.jspecify.annotations.NullMarked;
