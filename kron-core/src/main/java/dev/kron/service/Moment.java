package dev.kron.service;

/**
 * The present moment on both clocks.
 *
 * @param epochMillis the wall clock, for people; it may be set at any time
 * @param bootMillis the boot clock, by which waits are measured; it is never set, and goes on while
 *     the machine sleeps
 */
public record Moment(long epochMillis, long bootMillis) {}
