package dev.kron.fleet;

import java.util.List;

/** A wish of a node that somebody has to fulfil. */
public sealed interface Action {
  /** Execute a statement, and tell what came of it. */
  record Ask(Statement statement) implements Action {}

  /**
   * Start a run whose claim is committed. The intent has to be on disk before.
   *
   * @param latestNanos after which the process must not begin any more without asking again, on the
   *     clock that only passes
   */
  record Start(Claim claim, long latestNanos) implements Action {}

  /** A run is not this node's, though it was asked for, or was about to begin too late. */
  record Drop(Claim claim) implements Action {}

  /** The database has the ends of these runs: they need not be kept any more. */
  record Told(List<String> runs) implements Action {
    public Told {
      runs = List.copyOf(runs);
    }
  }

  /** End a run: others may begin it again soon. */
  record Stop(String run, boolean kill) implements Action {}

  /**
   * Join again: the database went back, or does not know this start.
   *
   * @param generation that the node knows; where it is still in force, whoever joins raises it
   * @param writes that the database has confirmed
   */
  record Rejoin(long generation, long writes) implements Action {}

  /** Take no part any more until somebody says otherwise. */
  record Leave(String why) implements Action {}

  /** Tell people. */
  record Tell(String what) implements Action {}
}
