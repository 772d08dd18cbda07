/**
 * Messages on their way: a durable outbox, and who carries what is in it to its channels. Knows
 * events and messages, not jobs.
 */
@NullMarked
package dev.kron.notify;

import org.jspecify.annotations.NullMarked;
