package dev.kron.store;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to an instance of a service.
 *
 * @param what in the word of the log: {@code starting}, {@code exited}, {@code gave_up}
 */
public record PastEvent(
    long atMillis,
    String instance,
    String what,
    @Nullable Integer exitCode,
    @Nullable String reason,
    @Nullable String runId) {}
