package dev.kron.service;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to one instance of a service. Events of a process name their run, so that
 * late ones are recognised.
 */
public sealed interface ServiceEvent {

  /** The instance is to be started afresh: earlier failures are forgotten. */
  record StartRequested() implements ServiceEvent {}

  /** The instance is to be stopped; if it is still wanted up, it starts again after that. */
  record StopRequested() implements ServiceEvent {}

  /**
   * The reload command is to be run, if the instance is running and none runs already.
   *
   * @param runId of the command
   */
  record ReloadRequested(String runId) implements ServiceEvent {}

  /**
   * The process is there, newly started or found again.
   *
   * @param ageMillis the age of the process according to the kernel
   * @param found whether it was found, so that nobody may have listened to it for a while
   */
  record ProcessSpawned(String runId, int pid, long ageMillis, boolean found)
      implements ServiceEvent {
    /** The process was started just now. */
    public ProcessSpawned(String runId, int pid, long ageMillis) {
      this(runId, pid, ageMillis, false);
    }
  }

  /** The process could not be started. */
  record SpawnFailed(String runId, String message) implements ServiceEvent {}

  /** An intended run provably never began and never will. */
  record NeverBegan(String runId) implements ServiceEvent {}

  /**
   * The process has ended and nothing of it is left.
   *
   * @param exitCode null if a signal ended it or the code is unknown
   * @param signal only where it is certain
   */
  record ProcessExited(String runId, @Nullable Integer exitCode, @Nullable Integer signal)
      implements ServiceEvent {}

  /** The process reported that it is ready. */
  record ReadySignalled(String runId) implements ServiceEvent {}

  record HealthCheckPassed(String runId) implements ServiceEvent {}

  /**
   * A health check failed.
   *
   * @param attempt the number that the probe was given
   */
  record HealthCheckFailed(String runId, int attempt) implements ServiceEvent {}

  /** A health check could not be run, for a reason that says nothing about the service. */
  record HealthCheckNotAsked(String runId) implements ServiceEvent {}

  /** A required service is up, or a service that comes first has started. */
  record DependencySatisfied(String service) implements ServiceEvent {}

  /**
   * A required service has failed or ended for good.
   *
   * @param service the service that failed first, which may be further down
   */
  record DependencyFailed(String service) implements ServiceEvent {}

  /** A required service is no longer up, but may come back. */
  record DependencyLost(String service) implements ServiceEvent {}

  /** A conflicting service has ended. */
  record ConflictEnded(String service) implements ServiceEvent {}

  record Timeout(TimeoutKind kind) implements ServiceEvent {}

  /**
   * A new daemon has found out what became of the process; timers and health checks are to be set
   * again.
   */
  record Recovered() implements ServiceEvent {}

  /** The service's file changed in a way that needs no restart. */
  record Reconfigured() implements ServiceEvent {}
}
