package dev.kron.process;

/** The outcome of a launch. */
public sealed interface LaunchResult {

  /** The keeper was started; everything else is recorded in the run's directory. */
  record Launched(ProcessIdentity keeper) implements LaunchResult {}

  /** The run cannot be started; that is recorded, and the run is over. */
  record Failed(Stage stage, String reason) implements LaunchResult {}

  /** The run was claimed before; nothing was started now. */
  record AlreadyClaimed(RunStatus status) implements LaunchResult {}
}
