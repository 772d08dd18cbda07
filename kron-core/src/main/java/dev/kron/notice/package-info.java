/**
 * Notifications as rules: the words, channels and rules of {@code notify.toml}, and the threads of
 * problems. Pure; delivery is elsewhere and knows only messages.
 */
@NullMarked
package dev.kron.notice;

import org.jspecify.annotations.NullMarked;
