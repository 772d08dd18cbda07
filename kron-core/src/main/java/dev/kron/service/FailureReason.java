package dev.kron.service;

/** The reason why a service failed. */
public sealed interface FailureReason {
  /** The process exited with a code other than 0. */
  record ExitCode(int code) implements FailureReason {}

  /** A signal ended the process. */
  record Signal(int number) implements FailureReason {}

  /** The service was not ready in time. */
  record StartTimeout() implements FailureReason {}

  /** The process survived even KILL for too long. */
  record StopTimeout() implements FailureReason {}

  /**
   * Health checks failed.
   *
   * @param attempts failures in a row
   */
  record HealthCheckFailed(int attempts) implements FailureReason {}

  /**
   * A required service failed.
   *
   * @param service the service that failed first
   */
  record DependencyFailed(String service) implements FailureReason {}

  /** The process could not be started. */
  record SpawnError(String message) implements FailureReason {}

  /**
   * A hook failed, so that the process was not started.
   *
   * @param hook its key in the file
   */
  record HookFailed(String hook, String problem) implements FailureReason {}

  /** The reason in one line, for people. */
  default String text() {
    return switch (this) {
      case ExitCode(int code) -> "exit code " + code;
      case Signal(int number) -> "signal " + number;
      case StartTimeout() -> "not ready within its start timeout";
      case StopTimeout() -> "not even KILL ended it";
      case HealthCheckFailed(int attempts) ->
          "its health check failed " + attempts + " times in a row";
      case DependencyFailed(String service) ->
          "it requires " + service + ", which is down for good";
      case SpawnError(String message) -> "it could not be started: " + message;
      case HookFailed(String hook, String problem) -> "its " + hook + " failed: " + problem;
    };
  }
}
