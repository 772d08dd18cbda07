package dev.kron.process;

/**
 * A listener for the ends of keepers. The reaper calls it, so it must hand the news on and not
 * block.
 */
@FunctionalInterface
public interface Exits {

  /**
   * Called when a keeper is gone.
   *
   * @param run the run for which it was watched
   * @param keeper who ended
   * @param status the record of the run. {@link RunStatus.Running} only if another keeper had
   *     claimed the run first; {@link RunStatus.Unclaimed} if the keeper was killed before its
   *     claim, so that the run has not begun
   */
  void ended(Run run, ProcessIdentity keeper, RunStatus status);
}
