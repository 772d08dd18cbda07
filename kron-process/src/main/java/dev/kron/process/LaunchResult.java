package dev.kron.process;

/** The outcome of a launch. */
public sealed interface LaunchResult {

  /** The keeper is on its way; the rest is on record in the run's directory. */
  record Launched(ProcessIdentity keeper) implements LaunchResult {}

  /** It cannot be started; that is on record, and the run is over. */
  record Failed(Stage stage, String reason) implements LaunchResult {}

  /** The run had been claimed before; nothing was started now. */
  record AlreadyClaimed(RunStatus status) implements LaunchResult {}
}
