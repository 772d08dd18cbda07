package dev.kron.store;

import org.jspecify.annotations.Nullable;

/**
 * An event of one instance of a service.
 *
 * @param what the word of the log: {@code starting}, {@code exited}, {@code gave_up}
 */
public record PastEvent(
    long atMillis,
    String instance,
    String what,
    @Nullable Integer exitCode,
    @Nullable String reason,
    @Nullable String runId) {}
