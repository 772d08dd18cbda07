package dev.kron.daemon.services;

import dev.kron.service.Dependencies;
import dev.kron.service.InstanceId;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.Wanted;
import dev.kron.store.PersistedProcessInstance;
import dev.kron.store.ProcessSpec;
import dev.kron.store.ProcessState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The mapping between services and their form on disk, in both directions. */
final class ServiceMapping {
  private ServiceMapping() {}

  /** The service as it is written, with the operator's wish. */
  static ProcessSpec toDisk(UUID id, ServiceSpec service, Wanted wanted, @Nullable String binding) {
    boolean up = wanted.up().contains(service.name());
    List<Integer> stopped =
        wanted.stopped().stream()
            .filter(instance -> instance.service().equals(service.name()))
            .map(InstanceId::index)
            .sorted()
            .toList();
    return toDisk(id, service, up ? ProcessSpec.Desired.UP : ProcessSpec.Desired.DOWN, binding)
        .toBuilder()
        .scaledTo(wanted.scaled().get(service.name()))
        .stoppedInstances(stopped)
        .build();
  }

  /** The service as it is written. */
  static ProcessSpec toDisk(
      UUID id, ServiceSpec service, ProcessSpec.Desired desired, @Nullable String binding) {
    List<String> exec = service.exec();
    return ProcessSpec.builder(id, service.name())
        .command(exec.isEmpty() ? "" : exec.getFirst())
        .args(exec.isEmpty() ? List.of() : exec.subList(1, exec.size()))
        .instances(service.instances())
        .restart(service.lifecycle().restart())
        .maxRetries(service.lifecycle().maxRestarts())
        .type(service.type())
        .shell(service.shell())
        .file(service.file())
        .desired(desired)
        .credentialBinding(binding)
        .stopSignal(service.lifecycle().stopSignal())
        .stopTimeoutMillis(service.lifecycle().stopTimeoutMillis())
        .dependencies(service.dependencies())
        .build();
  }

  /**
   * The service as it was written, for one whose file is gone: enough to end its processes in
   * order.
   */
  static ServiceSpec withoutFile(ProcessSpec process, int instances) {
    List<String> exec = new ArrayList<>();
    if (!process.command().isEmpty()) {
      exec.add(process.command());
      exec.addAll(process.args());
    }
    Lifecycle usual = Lifecycle.standard(false);
    return ServiceSpec.builder(process.name(), process.type(), exec)
        .file(process.file())
        .shell(process.shell())
        .instances(Math.max(process.instances(), instances))
        .autostart(false)
        .dependencies(
            new Dependencies(
                process.dependencies().requires(),
                process.dependencies().wants(),
                process.dependencies().after(),
                List.of()))
        .lifecycle(
            usual.toBuilder()
                .restart(Lifecycle.Restart.NEVER)
                .stopTimeoutMillis(process.stopTimeoutMillis())
                .stopSignal(process.stopSignal())
                .build())
        .build();
  }

  /** A service of which only a run is left; it is stopped in the default way. */
  static ServiceSpec unknown(String name) {
    return ServiceSpec.builder(name, ServiceSpec.Type.SIMPLE, List.of("unknown"))
        .autostart(false)
        .build();
  }

  /** The state as it is written. */
  static ProcessState toDisk(ServiceState state) {
    return switch (state) {
      case ServiceState.Inactive() -> new ProcessState.Stopped(null);
      case ServiceState.Blocked(var waitingOn, var conflictsWith) ->
          new ProcessState.Blocked(waitingOn, conflictsWith);
      case ServiceState.Starting _ -> new ProcessState.Starting();
      case ServiceState.Running _ -> new ProcessState.Running();
      case ServiceState.Stopping _ -> new ProcessState.Stopping();
      case ServiceState.Exited exited ->
          new ProcessState.Exited(exited.exitCode(), Instant.ofEpochMilli(exited.exitedAt()));
      case ServiceState.Failed failed ->
          new ProcessState.Failed(failed.reason(), Instant.ofEpochMilli(failed.failedAt()));
    };
  }

  /** The state that was written. */
  static ServiceState fromDisk(PersistedProcessInstance remembered) {
    Integer pid = remembered.pid();
    long startedAt = remembered.startedAt() == null ? 0 : remembered.startedAt().toEpochMilli();
    return switch (remembered.state()) {
      case ProcessState.Stopped _ -> new ServiceState.Inactive();
      case ProcessState.Blocked(var waitingOn, var conflictsWith) ->
          new ServiceState.Blocked(waitingOn, conflictsWith);
      case ProcessState.Starting() -> new ServiceState.Starting(pid, startedAt);
      case ProcessState.Running() -> new ServiceState.Running(pid, startedAt);
      case ProcessState.Stopping() -> new ServiceState.Stopping(pid, startedAt);
      case ProcessState.Exited exited ->
          new ServiceState.Exited(exited.exitCode(), exited.exitedAt().toEpochMilli());
      case ProcessState.Failed failed ->
          new ServiceState.Failed(failed.reason(), failed.failedAt().toEpochMilli());
    };
  }
}
