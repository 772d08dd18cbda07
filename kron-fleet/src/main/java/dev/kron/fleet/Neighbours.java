package dev.kron.fleet;

import dev.kron.fleet.Answers.NodeRow;
import dev.kron.job.Placement;
import dev.kron.job.Ranking;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The nodes of a fleet, as one of them sees them. One is lost if its lease is over by the
 * database's clock and the observer itself has seen the same renewal for a whole lease of it: a
 * clock of the database that jumps loses nobody.
 */
final class Neighbours {
  private final UUID me;
  private final Map<UUID, Sighting> sightings = new HashMap<>();
  private final Map<UUID, Long> highest = new HashMap<>();
  private final Set<Lost> told = new HashSet<>();
  private List<NodeRow> nodes = List.of();
  private Set<NodeRow> candidates = Set.of();
  private boolean changed;

  /** The names of the nodes that are ranked, by the label that they have to have, if any. */
  private final Map<String, List<String>> ranked = new HashMap<>();

  private record Sighting(long renewal, long sinceNanos) {}

  /** A node that is lost since a renewal. */
  record Lost(UUID node, long renewal) {}

  Neighbours(UUID me) {
    this.me = me;
  }

  /**
   * The nodes as the database names them now.
   *
   * @return whether it knows less of somebody than it did before
   */
  boolean saw(List<NodeRow> all, long nanos) {
    boolean less = false;
    nodes = all;
    ranked.clear();
    Set<NodeRow> now = living();
    changed = !now.equals(candidates);
    candidates = now;
    for (NodeRow node : all) {
      Long before = highest.put(node.node(), node.writes());
      less |= before != null && before > node.writes();
      Sighting last = sightings.get(node.node());
      if (last == null || last.renewal() != node.renewal()) {
        sightings.put(node.node(), new Sighting(node.renewal(), nanos));
      }
    }
    Set<UUID> listed = new HashSet<>();
    all.forEach(node -> listed.add(node.node()));
    less |= !listed.containsAll(highest.keySet());
    highest.keySet().retainAll(listed);
    sightings.keySet().retainAll(listed);
    return less;
  }

  /** The nodes that live, without what each renewal changes. */
  private Set<NodeRow> living() {
    Set<NodeRow> living = new HashSet<>();
    for (NodeRow node : nodes) {
      if (!node.removed() && !node.over()) {
        living.add(new NodeRow(node.node(), node.name(), node.labels(), 0, 0, false, 0, false));
      }
    }
    return living;
  }

  /**
   * Whether the living nodes have changed since the last look: turns that were worked out then are
   * old.
   */
  boolean changed() {
    return changed;
  }

  List<NodeRow> nodes() {
    return nodes;
  }

  /** The nodes that are lost and were not told of before. */
  List<Lost> newlyLost(long nanos) {
    List<Lost> lost = new ArrayList<>();
    for (NodeRow node : nodes) {
      Sighting last = sightings.get(node.node());
      if (last != null
          && !node.node().equals(me)
          && !node.removed()
          && node.over()
          && nanos - last.sinceNanos() >= node.leaseMillis() * 1_000_000L) {
        lost.add(new Lost(node.node(), node.renewal()));
      }
    }
    lost.removeIf(told::contains);
    return lost;
  }

  void tell(Lost lost) {
    told.removeIf(other -> other.node().equals(lost.node()));
    told.add(lost);
  }

  /** The database could not be told that a node is lost. */
  void untold(UUID node) {
    told.removeIf(other -> other.node().equals(node));
  }

  /**
   * Nothing counts as told any more, as the database may have forgotten it; and that it knows less
   * than before is what this generation is for.
   */
  void newGeneration() {
    told.clear();
    highest.clear();
  }

  /** Whether another node that lives has the same name, and the better right to it. */
  boolean isDouble(String name) {
    return nodes.stream()
        .anyMatch(
            node ->
                !node.node().equals(me)
                    && !node.removed()
                    && !node.over()
                    && node.name().equals(name)
                    && node.node().compareTo(me) < 0);
  }

  /** The time from a due moment to this node's turn. */
  long turnMillis(String identity, String period, Placement on, String myName) {
    if (on.all()) {
      return 0;
    }
    String label = on.label();
    List<String> among = ranked.computeIfAbsent(label == null ? "" : label, this::candidates);
    return Ranking.turnMillis(
        among.size() == 1 ? among.indexOf(myName) : Ranking.rank(identity, period, among, myName));
  }

  private List<String> candidates(String label) {
    return nodes.stream()
        .filter(node -> !node.removed() && (!node.over() || node.node().equals(me)))
        .filter(node -> label.isEmpty() || node.labels().contains(label))
        .map(NodeRow::name)
        .toList();
  }

  /** The longest lease of anybody. */
  long longestLeaseMillis() {
    return nodes.stream().mapToLong(NodeRow::leaseMillis).max().orElse(0);
  }
}
