package dev.kron.daemon.services;

import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An order to launch an instance of a service, or a hook of it, as a given run.
 *
 * @param hook null: the service's own command
 * @param told {@code KEY=value} that a hook is told of the service's process
 */
record LaunchOrder(
    InstanceId instance,
    ServiceSpec spec,
    int restarts,
    RunFacts run,
    @Nullable Hook hook,
    List<String> told) {
  String runId() {
    return run.runId();
  }

  /** The user whose files the start may have to wait for, if their mount does not answer. */
  String user() {
    return Objects.requireNonNullElse(spec.user(), "");
  }
}
