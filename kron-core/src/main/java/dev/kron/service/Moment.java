package dev.kron.service;

/**
 * Now, by both clocks.
 *
 * @param epochMillis for people; anyone may set that clock
 * @param bootMillis what waits are measured by; nobody sets it, and it goes on in sleep
 */
public record Moment(long epochMillis, long bootMillis) {}
