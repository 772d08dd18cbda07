package dev.kron.daemon.services;

import dev.kron.process.ProcessIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A run of a service, beside the state of its instance: what it is launched with, what its note
 * says, what is remembered of it.
 *
 * @param startedAt epoch millis
 * @param profile the credentials it was given
 * @param fingerprint of all that it was started with, empty where that is not known
 * @param main the command itself, null until it is known
 * @param keeper who watches over it and writes down how it ends, null until it is known
 */
record RunFacts(
    String runId,
    long startedAt,
    @Nullable String profile,
    String fingerprint,
    @Nullable ProcessIdentity main,
    @Nullable ProcessIdentity keeper) {

  /** A run without a process. */
  static RunFacts intended(String runId, long startedAt, @Nullable String profile) {
    return new RunFacts(runId, startedAt, profile, "", null, null);
  }

  RunFacts withFingerprint(String started) {
    return new RunFacts(runId, startedAt, profile, started, main, keeper);
  }

  RunFacts withProcess(ProcessIdentity command, ProcessIdentity watching) {
    return new RunFacts(runId, startedAt, profile, fingerprint, command, watching);
  }
}
