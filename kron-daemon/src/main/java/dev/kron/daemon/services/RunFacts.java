package dev.kron.daemon.services;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the process of a service beside its state.
 *
 * @param pid its keeper's, 0 until it is known
 * @param startTicks the kernel's start time of that
 * @param startedAt epoch millis
 * @param fingerprint of all that it was started with, empty where that is not known
 * @param profile the credentials it was given
 */
record RunFacts(
    String runId,
    int pid,
    long startTicks,
    long startedAt,
    String fingerprint,
    @Nullable String profile) {

  static RunFacts intended(String runId, long startedAt, @Nullable String profile) {
    return new RunFacts(runId, 0, 0, startedAt, "", profile);
  }
}
