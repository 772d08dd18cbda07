package dev.kron.service;

import dev.kron.service.ServiceState.Inactive;
import org.jspecify.annotations.Nullable;

/**
 * One process of a service, as far as its future depends on it. Waits are moments of the boot
 * clock, {@link #NONE} where there is nothing to wait for.
 *
 * @param runId of a process that is not known to be gone, whatever the state; nothing is started
 *     while there is one
 * @param restartCount since the backoff was last reset
 * @param nextDelayMillis how long the next restart waits
 * @param restartDelayMillis of a restart that is to come; {@link #NONE}: none is
 * @param restartAt when that restart is due; none while the old process is still to go
 * @param lastRestartAt epoch millis
 * @param stepUntil when it has to be ready, or gone
 * @param killed it was sent KILL
 * @param probeAt when it is to be asked next; none while a probe is under way
 * @param failedProbes in a row
 * @param uptimeAt when its backoff is reset
 */
public record ServiceInstance(
    InstanceId id,
    ServiceState state,
    @Nullable String runId,
    int restartCount,
    long nextDelayMillis,
    long restartDelayMillis,
    long restartAt,
    long lastRestartAt,
    long stepUntil,
    boolean killed,
    long probeAt,
    int failedProbes,
    long uptimeAt) {
  public static final long NONE = -1;

  /** One that was never started. */
  public static ServiceInstance inactive(InstanceId id, ServiceSpec spec) {
    return new ServiceInstance(
        id,
        new Inactive(),
        null,
        0,
        spec.lifecycle().restartDelayMillis(),
        NONE,
        NONE,
        NONE,
        NONE,
        false,
        NONE,
        0,
        NONE);
  }

  /** The same, to be started as soon as no process of it is left, if it has ended or failed. */
  public ServiceInstance begunAnew() {
    if (state.kind() != ServiceState.Kind.EXITED && state.kind() != ServiceState.Kind.FAILED) {
      return this;
    }
    return new ServiceInstance(
        id,
        runId == null ? new Inactive() : state,
        runId,
        0,
        nextDelayMillis,
        runId == null ? NONE : 0,
        NONE,
        lastRestartAt,
        NONE,
        false,
        NONE,
        0,
        NONE);
  }

  /** Ended, and to be started again after a wait. */
  public boolean inBackoff() {
    return restartDelayMillis != NONE;
  }

  /** A process of it may be there. */
  public boolean isThere() {
    return state.isActive() || runId != null;
  }

  /** Whether those that it requires have to wait for it when all are stopped. */
  boolean holdsUp() {
    boolean unendable =
        state instanceof ServiceState.Failed failed
            && failed.reason() instanceof FailureReason.StopTimeout;
    return isThere() && !unendable;
  }

  /** Whether it does for this instance what those who require the service wait for. */
  boolean isSatisfied(ServiceSpec spec) {
    return state.isSatisfied()
        || (spec.type() == ServiceSpec.Type.ONESHOT
            && state instanceof ServiceState.Exited exited
            && Integer.valueOf(0).equals(exited.exitCode()));
  }

  /** It ended, and nothing will start it again but a request. */
  boolean isOver() {
    return !inBackoff()
        && (state.kind() == ServiceState.Kind.EXITED || state.kind() == ServiceState.Kind.FAILED);
  }
}
