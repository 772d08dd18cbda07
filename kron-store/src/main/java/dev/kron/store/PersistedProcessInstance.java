package dev.kron.store;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one process of a service, {@code web@0}.
 *
 * <p>An intent is an instance that is {@code Starting} with a run id and without a pid: it is
 * durable before anything is started, and the claim in the run's directory tells what became of it.
 *
 * @param pid the command's own; null until it is known, and where no process is there (INV-0202)
 * @param startedAt when the run began, or was intended to
 * @param restartCount since the backoff was last reset
 * @param credentialProfile with which its process was started
 * @param runId its run's directory; null where it never ran
 * @param bootId of {@code startTicks}, and of an intent
 * @param startTicks the kernel's start time of {@code pid}; 0: not known
 * @param restartDelayMillis the wait before the next restart but one
 * @param restartAt when a restart is due that is being waited for; null: none is
 * @param specFingerprint of the spec with which its process was started; empty: not known
 * @param keeper who watches over the command; null until it is known, and where no process is there
 * @param past what became of it over its whole life
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
    ServicePast past) {

  /** A process that outlives the daemon, by the boot that the instance names. */
  public record Keeper(int pid, long startTicks) {
    public Keeper {
      if (pid <= 0 || startTicks < 0) {
        throw new IllegalArgumentException("a keeper " + pid + " of " + startTicks + " ticks");
      }
    }
  }

  /** (INV-0201) What tells instances apart. */
  public record Key(UUID specId, int instanceIndex) {}

  public PersistedProcessInstance {
    if (instanceIndex < 0 || restartCount < 0 || startTicks < 0 || restartDelayMillis < 0) {
      throw new IllegalArgumentException(
          "instance %s, %s restarts, %s ticks, %s ms: none may be below 0"
              .formatted(instanceIndex, restartCount, startTicks, restartDelayMillis));
    }
    if (pid != null && (pid <= 0 || !state.isRunning())) {
      throw new IllegalArgumentException("a process " + pid + " that is " + state);
    }
  }

  /** Stopped, and never started (CTR-0201). */
  public static PersistedProcessInstance create(UUID specId, int instanceIndex) {
    return new PersistedProcessInstance(
        specId,
        instanceIndex,
        new ProcessState.Stopped(null),
        null,
        null,
        0,
        null,
        null,
        null,
        null,
        0,
        0,
        null,
        "",
        null,
        ServicePast.NONE);
  }

  public Key key() {
    return new Key(specId, instanceIndex);
  }
}
