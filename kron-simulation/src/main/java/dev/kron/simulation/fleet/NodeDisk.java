package dev.kron.simulation.fleet;

import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession.Start;
import dev.kron.fleet.Settlement;
import dev.kron.job.FleetRules.Loss;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The contents of a node's state directory: all that a restart of its daemon knows. */
final class NodeDisk {
  final UUID node;
  long number;
  List<Start> starts = new ArrayList<>();
  long writes;
  long generation;
  final Map<String, NodeRun> open = new LinkedHashMap<>();

  NodeDisk(UUID node) {
    this.node = node;
  }

  /** The stages of a run. */
  enum Stage {
    /** Its claim is remembered. */
    NOTED,
    /** Its intent is durable, and a keeper is on its way. */
    LAUNCHED,
    /** The keeper came after the latest moment, or was forestalled. */
    LATE,
    GOING,
    ENDED
  }

  /** A run that was given to this node and whose end the database has not confirmed. */
  static final class NodeRun {
    final Claim claim;
    final Loss loss;
    final int boot;
    Stage stage = Stage.NOTED;
    int launches;
    @Nullable FleetExecution execution;
    Settlement.@Nullable End end;

    NodeRun(Claim claim, Loss loss, int boot) {
      this.claim = claim;
      this.loss = loss;
      this.boot = boot;
    }

    private NodeRun copy() {
      // Whoever has the copy is another machine, or this one after another boot.
      var copy = new NodeRun(claim, loss, -1);
      copy.stage = stage;
      copy.end = end;
      return copy;
    }
  }

  /** The same directory once more, elsewhere or later. */
  NodeDisk copy() {
    var copy = new NodeDisk(node);
    copy.number = number;
    copy.starts = new ArrayList<>(starts);
    copy.writes = writes;
    copy.generation = generation;
    open.forEach((run, each) -> copy.open.put(run, each.copy()));
    return copy;
  }
}
