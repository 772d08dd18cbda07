/**
 * When to tell whom of what: the words, channels and rules of {@code notify.toml}, and the threads
 * of problems. Pure; whoever delivers messages knows nothing else.
 */
@NullMarked
package dev.kron.notice;

import org.jspecify.annotations.NullMarked;
