package dev.kron.service;

/** An act that an instance wants done once the state that implies it is durable. */
public sealed interface ServiceEffect {
  InstanceId instance();

  /** Start its process as this run. */
  record Launch(InstanceId instance, String runId) implements ServiceEffect {}

  /** Send its stop signal to the run's process group. */
  record Terminate(InstanceId instance, String runId) implements ServiceEffect {}

  /** KILL everything that belongs to the run. */
  record Kill(InstanceId instance, String runId) implements ServiceEffect {}

  /** Come back with a {@link ServiceEvent.Timeout} at this moment of the boot clock. */
  record WakeAt(InstanceId instance, TimeoutKind kind, long bootMillis) implements ServiceEffect {}

  /**
   * Ask whether it is well.
   *
   * @param attempt to be given back with a failure
   */
  record Probe(InstanceId instance, String runId, int attempt) implements ServiceEffect {}

  /** Tell people something that its state does not show. */
  record Log(InstanceId instance, Notice notice) implements ServiceEffect {}

  /** What only the machine knows. */
  sealed interface Notice {
    /** It will be started again after this wait. */
    record RestartIn(long delayMillis, int restart) implements Notice {}

    /** It has used up its restarts and stays down until somebody starts it. */
    record GaveUp(int restarts) implements Notice {}

    /** Not even KILL ended its process; it goes on trying, and starts nothing in its place. */
    record Unendable() implements Notice {}
  }
}
