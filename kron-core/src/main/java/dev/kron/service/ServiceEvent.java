package dev.kron.service;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to one instance of a service. What belongs to a process says to which
 * run, so that late answers are recognised.
 */
public sealed interface ServiceEvent {

  /** It is to be started, afresh: whatever it had failed before is forgotten. */
  record StartRequested() implements ServiceEvent {}

  /**
   * It is to be stopped; where it is wanted up all the same, it is started again when it is gone.
   */
  record StopRequested() implements ServiceEvent {}

  /**
   * Its process is there, started now or found again.
   *
   * @param ageMillis for how long it has been there, by the kernel's word
   */
  record ProcessSpawned(String runId, int pid, long ageMillis) implements ServiceEvent {}

  /** Its process could not be started. */
  record SpawnFailed(String runId, String message) implements ServiceEvent {}

  /** An intended run provably never began and never will. */
  record NeverBegan(String runId) implements ServiceEvent {}

  /**
   * Its process has ended and nothing of it is left.
   *
   * @param exitCode null where a signal ended it, or nobody knows
   * @param signal only where it is certain
   */
  record ProcessExited(String runId, @Nullable Integer exitCode, @Nullable Integer signal)
      implements ServiceEvent {}

  record HealthCheckPassed(String runId) implements ServiceEvent {}

  /**
   * @param attempt the number that the probe was given
   */
  record HealthCheckFailed(String runId, int attempt) implements ServiceEvent {}

  /** The question could not be put, for a reason that says nothing about the service. */
  record HealthCheckNotAsked(String runId) implements ServiceEvent {}

  /** What it requires is up, or what it comes after is out of its way. */
  record DependencySatisfied(String service) implements ServiceEvent {}

  /**
   * What it requires has given up, or ended for good.
   *
   * @param service the name of the culprit, which may be further down
   */
  record DependencyFailed(String service) implements ServiceEvent {}

  /** What it requires is up no more, and may come back. */
  record DependencyLost(String service) implements ServiceEvent {}

  /** A service that must not run beside it has ended. */
  record ConflictEnded(String service) implements ServiceEvent {}

  record Timeout(TimeoutKind kind) implements ServiceEvent {}

  /**
   * A new daemon has found out what became of its process; timers and probes are to be set again.
   */
  record Recovered() implements ServiceEvent {}

  /** Its file says something else now that is no reason to start it anew. */
  record Reconfigured() implements ServiceEvent {}
}
