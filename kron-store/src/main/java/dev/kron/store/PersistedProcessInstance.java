package dev.kron.store;

import dev.kron.service.Hook;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The persisted state of one instance of a service, {@code web@0}.
 *
 * <p>An intent is an instance that is {@code Starting} with a run id and without a pid: it is
 * durable before anything is started, and the claim in the run's directory tells what became of it.
 *
 * @param pid the command's own pid, or that of the hook that runs; null until it is known, and if
 *     no process is there (INV-0202)
 * @param startedAt when the run began, or was intended to
 * @param restartCount since the backoff was last reset
 * @param credentialProfile the profile with which its process was started
 * @param runId its run's directory; null if it never ran
 * @param bootId the boot to which {@code startTicks} or an intent belongs
 * @param startTicks the kernel's start time of {@code pid}; 0 if unknown
 * @param restartDelayMillis the delay of the restart after the next one
 * @param restartAt when the restart that it waits for is due; null if there is none
 * @param specFingerprint of the spec with which its process was started; empty if unknown
 * @param keeper the keeper of the command; null until it is known, and if no process is there
 * @param past its history over its whole life
 * @param toRestart it runs what its file said before, and is restarted when its turn comes
 * @param hook the hook whose run {@code runId} is; null: it is the service's own command
 * @param reloadRun the run of its reload command; null: there is none
 * @param alerts what is owed for its failures, in the boot that the instance names
 */
public record PersistedProcessInstance(
    UUID specId,
    int instanceIndex,
    ProcessState state,
    @Nullable Integer pid,
    @Nullable Instant startedAt,
    int restartCount,
    @Nullable Instant lastRestart,
    @Nullable String credentialProfile,
    @Nullable String runId,
    @Nullable String bootId,
    long startTicks,
    long restartDelayMillis,
    @Nullable Instant restartAt,
    String specFingerprint,
    @Nullable Keeper keeper,
    ServicePast past,
    boolean toRestart,
    @Nullable Hook hook,
    @Nullable String reloadRun,
    List<OwedAlert> alerts) {

  /** A process that outlives the daemon; it belongs to the boot that the instance names. */
  public record Keeper(int pid, long startTicks) {
    public Keeper {
      if (pid <= 0 || startTicks < 0) {
        throw new IllegalArgumentException("a keeper " + pid + " of " + startTicks + " ticks");
      }
    }
  }

  /** The key of an instance (INV-0201). */
  public record Key(UUID specId, int instanceIndex) {}

  public PersistedProcessInstance {
    alerts = List.copyOf(alerts);
    if (instanceIndex < 0 || restartCount < 0 || startTicks < 0 || restartDelayMillis < 0) {
      throw new IllegalArgumentException(
          "instance %s, %s restarts, %s ticks, %s ms: none may be below 0"
              .formatted(instanceIndex, restartCount, startTicks, restartDelayMillis));
    }
    if (pid != null && (pid <= 0 || !state.isRunning())) {
      throw new IllegalArgumentException("a process " + pid + " that is " + state);
    }
  }

  /** An instance that is stopped and was never started (CTR-0201). */
  public static PersistedProcessInstance create(UUID specId, int instanceIndex) {
    return builder(specId, instanceIndex).build();
  }

  public Key key() {
    return new Key(specId, instanceIndex);
  }

  /** Starts a builder of an instance that is stopped and was never started. */
  public static Builder builder(UUID specId, int instanceIndex) {
    return new Builder(specId, instanceIndex);
  }

  /** A builder of instances; components that are not set keep their defaults. */
  public static final class Builder {
    private final UUID specId;
    private final int instanceIndex;
    private ProcessState state = new ProcessState.Stopped(null);
    private @Nullable Integer pid;
    private @Nullable Instant startedAt;
    private int restartCount;
    private @Nullable Instant lastRestart;
    private @Nullable String credentialProfile;
    private @Nullable String runId;
    private @Nullable String bootId;
    private long startTicks;
    private long restartDelayMillis;
    private @Nullable Instant restartAt;
    private String specFingerprint = "";
    private @Nullable Keeper keeper;
    private ServicePast past = ServicePast.NONE;
    private boolean toRestart;
    private @Nullable Hook hook;
    private @Nullable String reloadRun;
    private List<OwedAlert> alerts = List.of();

    private Builder(UUID specId, int instanceIndex) {
      this.specId = specId;
      this.instanceIndex = instanceIndex;
    }

    public Builder state(ProcessState state) {
      this.state = state;
      return this;
    }

    public Builder pid(@Nullable Integer pid) {
      this.pid = pid;
      return this;
    }

    public Builder startedAt(@Nullable Instant startedAt) {
      this.startedAt = startedAt;
      return this;
    }

    public Builder restartCount(int restartCount) {
      this.restartCount = restartCount;
      return this;
    }

    public Builder lastRestart(@Nullable Instant lastRestart) {
      this.lastRestart = lastRestart;
      return this;
    }

    public Builder credentialProfile(@Nullable String credentialProfile) {
      this.credentialProfile = credentialProfile;
      return this;
    }

    public Builder runId(@Nullable String runId) {
      this.runId = runId;
      return this;
    }

    public Builder bootId(@Nullable String bootId) {
      this.bootId = bootId;
      return this;
    }

    public Builder startTicks(long startTicks) {
      this.startTicks = startTicks;
      return this;
    }

    public Builder restartDelayMillis(long restartDelayMillis) {
      this.restartDelayMillis = restartDelayMillis;
      return this;
    }

    public Builder restartAt(@Nullable Instant restartAt) {
      this.restartAt = restartAt;
      return this;
    }

    public Builder specFingerprint(String specFingerprint) {
      this.specFingerprint = specFingerprint;
      return this;
    }

    public Builder keeper(@Nullable Keeper keeper) {
      this.keeper = keeper;
      return this;
    }

    public Builder past(ServicePast past) {
      this.past = past;
      return this;
    }

    public Builder toRestart(boolean toRestart) {
      this.toRestart = toRestart;
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

    public Builder alerts(List<OwedAlert> alerts) {
      this.alerts = alerts;
      return this;
    }

    public PersistedProcessInstance build() {
      return new PersistedProcessInstance(
          specId,
          instanceIndex,
          state,
          pid,
          startedAt,
          restartCount,
          lastRestart,
          credentialProfile,
          runId,
          bootId,
          startTicks,
          restartDelayMillis,
          restartAt,
          specFingerprint,
          keeper,
          past,
          toRestart,
          hook,
          reloadRun,
          alerts);
    }
  }
}
