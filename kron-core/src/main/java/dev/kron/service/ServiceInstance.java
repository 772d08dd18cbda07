package dev.kron.service;

import dev.kron.service.ServiceState.Inactive;
import org.jspecify.annotations.Nullable;

/**
 * The state of one instance of a service on which its future depends. Waits are moments of the boot
 * clock; {@link #NONE} means that there is nothing to wait for.
 *
 * @param runId the run whose process is not known to be gone, whatever the state; nothing is
 *     started while there is one
 * @param restartCount since the backoff was last reset
 * @param nextDelayMillis how long the next restart waits
 * @param restartDelayMillis the delay of a planned restart; {@link #NONE} if none is planned
 * @param restartAt when the planned restart is due; none while the old process is still to end
 * @param lastRestartAt epoch millis
 * @param stepUntil when the service has to be ready, or gone
 * @param killed whether KILL was sent
 * @param probeAt when the next health check is due; none while one is under way
 * @param failedProbes failed health checks in a row
 * @param uptimeAt when the backoff is reset
 * @param stableAt when its start is a success; {@link #NONE} if it is, or is not running
 * @param toRestart it runs what its file said before, and is restarted when its turn comes
 * @param adopted it was found starting, and may have reported that it is ready while nobody
 *     listened
 * @param hook the hook whose run {@code runId} is; null: it is the service's own command
 * @param reloadRun the run of its reload command, which ends before {@code runId} does; null: none
 * @param reloadUntil when the reload command has to be gone
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
    long uptimeAt,
    long stableAt,
    boolean toRestart,
    boolean adopted,
    @Nullable Hook hook,
    @Nullable String reloadRun,
    long reloadUntil) {
  public static final long NONE = -1;

  /** An instance that was never started. */
  public static ServiceInstance inactive(InstanceId id, ServiceSpec spec) {
    return builder(id, new Inactive())
        .nextDelayMillis(spec.lifecycle().restartDelayMillis())
        .build();
  }

  /**
   * The same instance with a start planned for as soon as its process is gone, if it has ended or
   * failed.
   */
  public ServiceInstance begunAnew() {
    if (state.kind() != ServiceState.Kind.EXITED && state.kind() != ServiceState.Kind.FAILED) {
      return this;
    }
    return builder(id, runId == null ? new Inactive() : state)
        .runId(runId)
        .nextDelayMillis(nextDelayMillis)
        .restartDelayMillis(runId == null ? NONE : 0)
        .lastRestartAt(lastRestartAt)
        .hook(hook)
        .reloadRun(reloadRun)
        .build();
  }

  /** Whether it ended and waits for a restart. */
  public boolean inBackoff() {
    return restartDelayMillis != NONE;
  }

  /** Whether a process of it may be there. */
  public boolean isThere() {
    return state.isActive() || runId != null;
  }

  /** Whether the services that it requires have to wait for it when everything is stopped. */
  boolean holdsUp() {
    boolean unendable =
        state instanceof ServiceState.Failed failed
            && failed.reason() instanceof FailureReason.StopTimeout;
    return isThere() && !unendable;
  }

  /** Whether it has reached the state that dependent services wait for. */
  boolean isSatisfied(ServiceSpec spec) {
    return state.isSatisfied()
        || (spec.type() == ServiceSpec.Type.ONESHOT
            && state instanceof ServiceState.Exited exited
            && exited.exitCode() != null
            && spec.lifecycle().exitCodes().isSuccess(exited.exitCode()));
  }

  /** Whether it ended and only a request can start it again. */
  boolean isOver() {
    return !inBackoff()
        && (state.kind() == ServiceState.Kind.EXITED || state.kind() == ServiceState.Kind.FAILED);
  }

  /** Whether the instance is running and has been for long enough to count on it. */
  public boolean isStable() {
    return state.kind() == ServiceState.Kind.RUNNING && stableAt == NONE;
  }

  /** Whether others of the service may be restarted, as far as this instance is concerned. */
  boolean isSettled() {
    return isStable() || (state.kind() == ServiceState.Kind.EXITED && isOver() && runId == null);
  }

  /** The same instance, which is to be restarted when its turn comes, or is not. */
  ServiceInstance toRestart(boolean later) {
    return toBuilder(state).toRestart(later).build();
  }

  /** Starts a builder of the same instance, in that state. */
  Builder toBuilder(ServiceState next) {
    return builder(id, next)
        .runId(runId)
        .restartCount(restartCount)
        .nextDelayMillis(nextDelayMillis)
        .restartDelayMillis(restartDelayMillis)
        .restartAt(restartAt)
        .lastRestartAt(lastRestartAt)
        .stepUntil(stepUntil)
        .killed(killed)
        .probeAt(probeAt)
        .failedProbes(failedProbes)
        .uptimeAt(uptimeAt)
        .stableAt(stableAt)
        .toRestart(toRestart)
        .adopted(adopted)
        .hook(hook)
        .reloadRun(reloadRun)
        .reloadUntil(reloadUntil);
  }

  /** Starts a builder of an instance that waits for nothing. */
  public static Builder builder(InstanceId id, ServiceState state) {
    return new Builder(id, state);
  }

  /** A builder of instances; components that are not set keep their defaults. */
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
    private long stableAt = NONE;
    private boolean toRestart;
    private boolean adopted;
    private @Nullable Hook hook;
    private @Nullable String reloadRun;
    private long reloadUntil = NONE;

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

    public Builder stableAt(long stableAt) {
      this.stableAt = stableAt;
      return this;
    }

    public Builder toRestart(boolean toRestart) {
      this.toRestart = toRestart;
      return this;
    }

    public Builder adopted(boolean adopted) {
      this.adopted = adopted;
      return this;
    }

    public Builder hook(@Nullable Hook hook) {
      this.hook = hook;
      return this;
    }

    public Builder reloadRun(@Nullable String reloadRun) {
      this.reloadRun = reloadRun;
      return this;
    }

    public Builder reloadUntil(long reloadUntil) {
      this.reloadUntil = reloadUntil;
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
          uptimeAt,
          stableAt,
          toRestart,
          adopted,
          hook,
          reloadRun,
          reloadUntil);
    }
  }
}
