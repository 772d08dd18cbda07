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
    return builder(id, new Inactive())
        .nextDelayMillis(spec.lifecycle().restartDelayMillis())
        .build();
  }

  /** The same, to be started as soon as no process of it is left, if it has ended or failed. */
  public ServiceInstance begunAnew() {
    if (state.kind() != ServiceState.Kind.EXITED && state.kind() != ServiceState.Kind.FAILED) {
      return this;
    }
    return builder(id, runId == null ? new Inactive() : state)
        .runId(runId)
        .nextDelayMillis(nextDelayMillis)
        .restartDelayMillis(runId == null ? NONE : 0)
        .lastRestartAt(lastRestartAt)
        .build();
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

  /** Starts an instance that waits for nothing. */
  public static Builder builder(InstanceId id, ServiceState state) {
    return new Builder(id, state);
  }

  /** The components by their names; what is not set is at its default. */
  public static final class Builder {
    private final InstanceId id;
    private final ServiceState state;
    private @Nullable String runId;
    private int restartCount;
    private long nextDelayMillis;
    private long restartDelayMillis = NONE;
    private long restartAt = NONE;
    private long lastRestartAt = NONE;
    private long stepUntil = NONE;
    private boolean killed;
    private long probeAt = NONE;
    private int failedProbes;
    private long uptimeAt = NONE;

    private Builder(InstanceId id, ServiceState state) {
      this.id = id;
      this.state = state;
    }

    public Builder runId(@Nullable String runId) {
      this.runId = runId;
      return this;
    }

    public Builder restartCount(int restartCount) {
      this.restartCount = restartCount;
      return this;
    }

    public Builder nextDelayMillis(long nextDelayMillis) {
      this.nextDelayMillis = nextDelayMillis;
      return this;
    }

    public Builder restartDelayMillis(long restartDelayMillis) {
      this.restartDelayMillis = restartDelayMillis;
      return this;
    }

    public Builder restartAt(long restartAt) {
      this.restartAt = restartAt;
      return this;
    }

    public Builder lastRestartAt(long lastRestartAt) {
      this.lastRestartAt = lastRestartAt;
      return this;
    }

    public Builder stepUntil(long stepUntil) {
      this.stepUntil = stepUntil;
      return this;
    }

    public Builder killed(boolean killed) {
      this.killed = killed;
      return this;
    }

    public Builder probeAt(long probeAt) {
      this.probeAt = probeAt;
      return this;
    }

    public Builder failedProbes(int failedProbes) {
      this.failedProbes = failedProbes;
      return this;
    }

    public Builder uptimeAt(long uptimeAt) {
      this.uptimeAt = uptimeAt;
      return this;
    }

    public ServiceInstance build() {
      return new ServiceInstance(
          id,
          state,
          runId,
          restartCount,
          nextDelayMillis,
          restartDelayMillis,
          restartAt,
          lastRestartAt,
          stepUntil,
          killed,
          probeAt,
          failedProbes,
          uptimeAt);
    }
  }
}
