package dev.kron.daemon.services;

import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import java.util.Objects;

/** An order to launch an instance of a service as a given run. */
record LaunchOrder(InstanceId instance, ServiceSpec spec, int restarts, RunFacts run) {
  String runId() {
    return run.runId();
  }

  /** The user whose files the start may have to wait for, if their mount does not answer. */
  String user() {
    return Objects.requireNonNullElse(spec.user(), "");
  }
}
