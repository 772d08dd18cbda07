package dev.kron.service;

import dev.kron.service.GraphProblem.ConflictWithRequired;
import dev.kron.service.GraphProblem.Cycle;
import dev.kron.service.GraphProblem.Cycle.Link;
import dev.kron.service.GraphProblem.Itself;
import dev.kron.service.GraphProblem.Missing;
import dev.kron.service.GraphProblem.Relation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The search for problems of a graph, in the order of the services' names. */
final class GraphProblems {
  private final ServiceGraph graph;
  private final List<GraphProblem> found = new ArrayList<>();

  GraphProblems(ServiceGraph graph) {
    this.graph = graph;
  }

  List<GraphProblem> find() {
    for (ServiceSpec spec : graph.services().values()) {
      Dependencies names = spec.dependencies();
      names(spec, Relation.REQUIRES, names.requires());
      names(spec, Relation.WANTS, names.wants());
      names(spec, Relation.AFTER, names.after());
      names(spec, Relation.CONFLICTS, names.conflicts());
    }
    cycles();
    if (graph.hasConflicts()) {
      graph.services().keySet().forEach(this::conflicts);
    }
    return List.copyOf(found);
  }

  private void names(ServiceSpec spec, Relation relation, List<String> names) {
    for (String name : names) {
      if (name.equals(spec.name())) {
        found.add(new Itself(name, relation));
      } else if (!graph.services().containsKey(name)) {
        found.add(new Missing(spec.name(), relation, name));
      }
    }
  }

  /**
   * Finds one shortest cycle in every set of services that wait for each other. Once a person has
   * corrected it, other cycles of the set are reported.
   */
  private void cycles() {
    for (Set<String> members : new DependencyCycles(graph).find()) {
      found.add(shortestCycle(members));
    }
  }

  private Cycle shortestCycle(Set<String> members) {
    List<String> best = List.of();
    for (String start : members.stream().sorted().toList()) {
      List<String> cycle = cycleThrough(start, members);
      if (best.isEmpty() || cycle.size() < best.size()) {
        best = cycle;
      }
      if (best.size() == 2 || members.size() > 200) {
        break; // none is shorter; in a huge set any will do
      }
    }
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < best.size(); i++) {
      String from = best.get(i);
      String to = best.get((i + 1) % best.size());
      links.add(new Link(from, graph.orderingRelation(from, to), to));
    }
    return new Cycle(links);
  }

  /** The shortest path from a service of such a set back to itself. */
  private List<String> cycleThrough(String start, Set<String> members) {
    Map<String, String> cameFrom = new HashMap<>();
    Deque<String> next = new ArrayDeque<>(List.of(start));
    while (!next.isEmpty()) {
      String name = next.poll();
      for (String to : graph.predecessors(name)) {
        if (to.equals(start)) {
          return back(start, name, cameFrom);
        }
        if (members.contains(to) && cameFrom.putIfAbsent(to, name) == null) {
          next.add(to);
        }
      }
    }
    throw new AssertionError(start + " waits for itself, and is in no cycle");
  }

  private static List<String> back(String start, String last, Map<String, String> cameFrom) {
    List<String> path = new ArrayList<>();
    for (String name = last; !name.equals(start); name = cameFrom.getOrDefault(name, start)) {
      path.add(name);
    }
    path.add(start);
    Collections.reverse(path);
    return path;
  }

  /**
   * Finds the first two services that must not run together, among a service and all that it
   * requires.
   */
  private void conflicts(String service) {
    Set<String> needed = graph.requiredOf(service);
    needed.add(service);
    if (needed.stream().allMatch(name -> Collections.disjoint(graph.conflicts(name), needed))) {
      return;
    }
    Map<String, List<String>> paths = paths(service);
    for (List<String> path : paths.values()) {
      String one = path.getLast();
      for (String other : graph.conflicts(one)) {
        if (!one.equals(service) && needed.contains(other) && isNewHere(service, one, other)) {
          found.add(conflict(service, path, other));
          return;
        }
      }
    }
  }

  private ConflictWithRequired conflict(String service, List<String> path, String other) {
    String needed = path.getLast();
    ServiceSpec spec = graph.services().get(service);
    boolean own = spec != null && spec.dependencies().conflicts().contains(needed);
    return own
        ? new ConflictWithRequired(service, Relation.CONFLICTS, needed, path, other)
        : new ConflictWithRequired(service, Relation.REQUIRES, path.get(1), path, other);
  }

  /**
   * Whether a conflict is new at this service. It is reported once, where the two paths meet, and
   * not for every service above.
   */
  private boolean isNewHere(String service, String one, String other) {
    return graph.requires(service).stream()
        .noneMatch(
            required -> {
              Set<String> below = new HashSet<>(graph.requiredOf(required));
              below.add(required);
              return below.contains(one) && below.contains(other);
            });
  }

  /**
   * The shortest path from a service to each of its requirements; every path begins with the
   * service itself.
   */
  private Map<String, List<String>> paths(String service) {
    Map<String, List<String>> paths = new LinkedHashMap<>();
    paths.put(service, List.of(service));
    Deque<String> next = new ArrayDeque<>(List.of(service));
    while (!next.isEmpty()) {
      String name = next.poll();
      List<String> path = paths.getOrDefault(name, List.of());
      for (String required : graph.requires(name)) {
        if (!paths.containsKey(required)) {
          List<String> longer = new ArrayList<>(path);
          longer.add(required);
          paths.put(required, longer);
          next.add(required);
        }
      }
    }
    return paths;
  }
}
