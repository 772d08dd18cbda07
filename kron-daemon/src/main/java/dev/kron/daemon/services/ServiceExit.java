package dev.kron.daemon.services;

import dev.kron.service.FailureReason;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import org.jspecify.annotations.Nullable;

/** The exit code of a daemon that ends with one service ({@code --exit-with}). */
final class ServiceExit {
  private ServiceExit() {}

  /** The exit code of a service that has ended for good; null while it may go on. */
  static @Nullable Integer of(SupervisionState supervised, String service) {
    ServiceState state = supervised.state(service);
    boolean over =
        supervised.instances(service).stream()
            .allMatch(instance -> !instance.isThere() && !instance.inBackoff());
    if (!over) {
      return null;
    }
    return switch (state) {
      case ServiceState.Exited exited -> exited.exitCode() == null ? 1 : exited.exitCode();
      case ServiceState.Failed failed -> of(failed);
      case ServiceState.Inactive _,
          ServiceState.Blocked _,
          ServiceState.Starting _,
          ServiceState.Running _,
          ServiceState.Stopping _ ->
          null;
    };
  }

  private static int of(ServiceState.Failed failed) {
    return switch (failed.reason()) {
      case FailureReason.ExitCode(int code) -> code;
      case FailureReason.Signal(int number) -> 128 + number;
      case FailureReason.SpawnError _ -> 127;
      case FailureReason.StartTimeout _,
          FailureReason.StopTimeout _,
          FailureReason.HealthCheckFailed _,
          FailureReason.HookFailed _,
          FailureReason.DependencyFailed _ ->
          1;
    };
  }
}
