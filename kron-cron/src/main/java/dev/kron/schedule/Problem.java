package dev.kron.schedule;

/**
 * Something wrong in a text, for the person who wrote it.
 *
 * @param offset where it begins, in characters from the start of the text
 * @param message what is wrong, the value, what was expected, what to do
 */
public record Problem(int offset, String message) {}
