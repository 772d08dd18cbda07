package dev.kron.service;

import org.jspecify.annotations.Nullable;

/** An act that an instance wants done once the state that implies it is durable. */
public sealed interface ServiceEffect {
  InstanceId instance();

  /**
   * Start the process of this run.
   *
   * @param hook null: the service's own command
   */
  record Launch(InstanceId instance, String runId, @Nullable Hook hook) implements ServiceEffect {}

  /** Send the stop signal to the run's process group. */
  record Terminate(InstanceId instance, String runId) implements ServiceEffect {}

  /** Send KILL to every process of the run. */
  record Kill(InstanceId instance, String runId) implements ServiceEffect {}

  /** Send a {@link ServiceEvent.Timeout} at this moment of the boot clock. */
  record WakeAt(InstanceId instance, TimeoutKind kind, long bootMillis) implements ServiceEffect {}

  /** Listen for the process's report that it is ready, if nobody does. */
  record Listen(InstanceId instance, String runId) implements ServiceEffect {}

  /**
   * Run a health check.
   *
   * @param attempt given back with a failure
   */
  record Probe(InstanceId instance, String runId, int attempt) implements ServiceEffect {}

  /** Tell somebody that the instance has failed for good. */
  record Alert(InstanceId instance, Failure failure) implements ServiceEffect {}

  /** Log something that the state does not show. */
  record Log(InstanceId instance, Notice notice) implements ServiceEffect {}

  /** The things to log. */
  sealed interface Notice {
    /** The service will be restarted after this delay. */
    record RestartIn(long delayMillis, int restart) implements Notice {}

    /** The service has used up its restarts and stays down until somebody starts it. */
    record GaveUp(int restarts) implements Notice {}

    /** The instance keeps its old process, because this one has not come up with the new file. */
    record RestartWaits(InstanceId failed) implements Notice {}

    /** A hook did not do what it should; the service goes on all the same. */
    record HookFailed(Hook hook, String problem) implements Notice {}

    /**
     * The reload command has ended.
     *
     * @param problem null: it exited with 0
     */
    record ReloadEnded(String runId, @Nullable String problem) implements Notice {}

    /** The process survived even KILL; KILL is repeated, and nothing is started in its place. */
    record Unendable() implements Notice {}
  }
}
