package dev.kron.process;

/** Is told when a keeper has ended. Called by the reaper: hand on, do not block. */
@FunctionalInterface
public interface Exits {

  /**
   * A keeper is gone.
   *
   * @param run the run it was watched for
   * @param keeper who ended
   * @param status what is on record now. {@link RunStatus.Running} only where another keeper had
   *     claimed the run before this one could; {@link RunStatus.Unclaimed} where it was killed
   *     before it could: then the run has not begun
   */
  void ended(Run run, ProcessIdentity keeper, RunStatus status);
}
