package dev.kron.daemon.fleet;

import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession.Start;
import dev.kron.job.FleetRules.Loss;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The memory that a node needs after a restart.
 *
 * @param number of its last start
 * @param starts those that the database may have of it: the last one that was confirmed, and those
 *     after it of which no answer came
 * @param writes the highest number of its writes that the database has confirmed
 * @param generation the last one that it knew
 * @param open runs that it was given and whose end the database has not confirmed, by id
 */
record FleetMemory(
    UUID node,
    long number,
    List<Start> starts,
    long writes,
    long generation,
    Map<String, Given> open) {
  FleetMemory {
    starts = List.copyOf(starts);
    open = Map.copyOf(open);
  }

  /** A node that was never in a fleet. */
  static FleetMemory fresh(UUID node) {
    return new FleetMemory(node, 0, List.of(), 0, 0, Map.of());
  }

  /** A run that this node was given, and what becomes of it where the node is lost. */
  record Given(Claim claim, Loss loss) {}
}
