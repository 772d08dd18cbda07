package dev.kron.service;

/** Why a service failed. */
public sealed interface FailureReason {
  /** Its process left with anything but 0. */
  record ExitCode(int code) implements FailureReason {}

  /** A signal ended its process. */
  record Signal(int number) implements FailureReason {}

  /** It was not ready in time. */
  record StartTimeout() implements FailureReason {}

  /** Not even KILL ended its process in time. */
  record StopTimeout() implements FailureReason {}

  /**
   * @param attempts failures in a row
   */
  record HealthCheckFailed(int attempts) implements FailureReason {}

  /**
   * @param service the name of the culprit
   */
  record DependencyFailed(String service) implements FailureReason {}

  /** Its process could not be started. */
  record SpawnError(String message) implements FailureReason {}

  /** For people, in one line. */
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
    };
  }
}
