package dev.kron.cli.graph;

import dev.kron.service.GraphProblem.Relation;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a graph in columns: each service is right of those that it waits for. A link over
 * several columns takes a place in each column between, so that it passes between services. Within
 * a column, services move towards those they are linked to, in a few passes.
 */
final class Layout {
  private static final int SWEEPS = 8;

  /** Something with a place in a column. */
  static final class Node {
    final @Nullable String name;
    final int column;
    final List<Node> left = new ArrayList<>();
    final List<Node> right = new ArrayList<>();
    double row;

    Node(@Nullable String name, int column) {
      this.name = name;
      this.column = column;
    }
  }

  /**
   * A link with all places on its way, from right to left.
   *
   * @param leftwards whether the one that names the other stands right
   */
  record Route(Relation relation, List<Node> nodes, boolean leftwards) {}

  private final List<List<Node>> columns = new ArrayList<>();
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final List<Route> routes = new ArrayList<>();

  Layout(Drawing drawing) {
    ServiceGraph graph = drawing.graph();
    Map<String, Integer> column = new HashMap<>();
    for (String name : graph.startOrder()) {
      int at = 0;
      for (Set<String> waitsFor : List.of(graph.requires(name), graph.after(name))) {
        for (String other : waitsFor) {
          at = Math.max(at, column.getOrDefault(other, -1) + 1);
        }
      }
      column.put(name, at);
      nodes.put(name, place(new Node(name, at)));
    }
    for (ServiceSpec service : drawing.services()) {
      for (Relation relation : Relation.values()) {
        for (String other : drawing.named(service, relation)) {
          boolean twice =
              relation == Relation.AFTER && graph.requires(service.name()).contains(other);
          if (!twice) {
            route(relation, service.name(), other);
          }
        }
      }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      boolean forth = sweep % 2 == 0;
      for (int i = 0; i < columns.size(); i++) {
        settle(columns.get(forth ? i : columns.size() - 1 - i), forth);
      }
    }
    closeGaps();
  }

  /** Services without links drift apart while settling; at most one row is left between them. */
  private void closeGaps() {
    List<Node> all = new ArrayList<>();
    columns.forEach(all::addAll);
    all.sort(Comparator.comparingDouble(node -> node.row));
    double before = 0;
    double placed = 0;
    for (int i = 0; i < all.size(); i++) {
      Node node = all.get(i);
      double row = node.row;
      placed = i == 0 ? 0 : placed + Math.min(1, row - before);
      before = row;
      node.row = placed;
    }
  }

  private Node place(Node node) {
    while (columns.size() <= node.column) {
      columns.add(new ArrayList<>());
    }
    node.row = columns.get(node.column).size();
    columns.get(node.column).add(node);
    return node;
  }

  private void route(Relation relation, String from, String to) {
    Node one = nodes.get(from);
    Node other = nodes.get(to);
    if (one == null || other == null) {
      return;
    }
    boolean leftwards = one.column >= other.column;
    Node start = leftwards ? one : other;
    Node end = leftwards ? other : one;
    List<Node> way = new ArrayList<>(List.of(start));
    for (int column = start.column - 1; column > end.column; column--) {
      way.add(place(new Node(null, column)));
    }
    way.add(end);
    routes.add(new Route(relation, way, leftwards));
    if (start.column == end.column) {
      return;
    }
    for (int i = 0; i + 1 < way.size(); i++) {
      way.get(i).left.add(way.get(i + 1));
      way.get(i + 1).right.add(way.get(i));
    }
  }

  /** Each to the middle of its neighbours on one side, then apart by one row at least. */
  private static void settle(List<Node> column, boolean leftwards) {
    for (Node node : column) {
      List<Node> neighbours = leftwards ? node.left : node.right;
      if (!neighbours.isEmpty()) {
        node.row = neighbours.stream().mapToDouble(other -> other.row).average().orElse(node.row);
      }
    }
    column.sort(Comparator.comparingDouble(node -> node.row));
    double before = Double.NEGATIVE_INFINITY;
    double shift = 0;
    for (Node node : column) {
      double wanted = node.row;
      node.row = Math.max(node.row, before + 1);
      shift += node.row - wanted;
      before = node.row;
    }
    // Pushing apart went downwards only; half of it is taken back for all.
    double back = column.isEmpty() ? 0 : shift / column.size() / 2;
    column.forEach(node -> node.row -= back);
  }

  int columns() {
    return columns.size();
  }

  double rows() {
    double last = 0;
    for (List<Node> column : columns) {
      for (Node node : column) {
        last = Math.max(last, node.row);
      }
    }
    return columns.isEmpty() ? 0 : last + 1;
  }

  Map<String, Node> nodes() {
    return nodes;
  }

  List<Route> routes() {
    return routes;
  }
}
