package dev.kron.store;

/**
 * A state file that could not be read and was moved aside, or that is missing.
 *
 * @param file its name in the state directory, as {@link JobStates#fileName} makes it from an
 *     identity
 * @param movedTo the name under which it is kept; empty if it is missing
 * @param reason a sentence
 */
public record Quarantined(String file, String movedTo, String reason) {}
