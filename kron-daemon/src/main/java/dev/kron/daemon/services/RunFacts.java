package dev.kron.daemon.services;

import dev.kron.process.ProcessIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Facts of the process of a service beside its state.
 *
 * @param main the command itself, null until it is known
 * @param keeper who watches over it and writes down how it ends, null until it is known
 * @param startedAt epoch millis
 * @param fingerprint of all that it was started with, empty where that is not known
 * @param profile the credentials it was given
 */
record RunFacts(
    String runId,
    @Nullable ProcessIdentity main,
    @Nullable ProcessIdentity keeper,
    long startedAt,
    String fingerprint,
    @Nullable String profile) {

  static RunFacts intended(String runId, long startedAt, @Nullable String profile) {
    return new RunFacts(runId, null, null, startedAt, "", profile);
  }
}
