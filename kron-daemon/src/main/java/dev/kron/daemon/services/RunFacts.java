package dev.kron.daemon.services;

import dev.kron.process.ProcessIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a run of a service that are not part of its instance's state. They are in its
 * note and in the supervisor's file.
 *
 * @param startedAt epoch millis
 * @param profile the credentials it was given
 * @param fingerprint of all that it was started with; empty if unknown
 * @param main the process of the command itself; null until it is known
 * @param keeper the process that records how it ends; null until it is known
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
