package dev.kron.service;

import org.jspecify.annotations.Nullable;

/**
 * The failure of an instance that is wanted up and stays down until somebody starts it.
 *
 * @param gaveUp whether it was restarted as often as it may be
 * @param exitCode null: its end, if it came so far, has none
 * @param reason in one line, for people
 * @param restarts since it last stayed up
 * @param at epoch millis
 */
public record Failure(
    boolean gaveUp, @Nullable Integer exitCode, String reason, int restarts, long at) {}
