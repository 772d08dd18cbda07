package dev.kron.service;

import dev.kron.service.GraphProblem.Relation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies between services. Names that no service has are left out, so that a graph can be
 * drawn and queried while {@link #problems()} lists its mistakes. Services of a graph with problems
 * are never started.
 *
 * <p>{@code requires} and {@code after} define an order, {@code wants} does not; a conflict holds
 * in both directions, whichever service names it.
 */
public final class ServiceGraph {
  private static final Set<String> NOBODY = Set.of();

  private final Map<String, ServiceSpec> services = new TreeMap<>();
  private final Map<String, Set<String>> requires = new LinkedHashMap<>();
  private final Map<String, Set<String>> wants = new LinkedHashMap<>();
  private final Map<String, Set<String>> after = new LinkedHashMap<>();
  private final Map<String, Set<String>> conflicts = new LinkedHashMap<>();
  private final Map<String, Set<String>> requiredBy = new LinkedHashMap<>();
  private final Map<String, Set<String>> before = new LinkedHashMap<>();
  private final List<String> startOrder;
  private final Map<String, Integer> rank = new LinkedHashMap<>();
  private final List<GraphProblem> problems;

  /**
   * The graph of these services. If two have the same name, which readers of files report, the
   * first one counts.
   */
  public static ServiceGraph of(Collection<ServiceSpec> specs) {
    return new ServiceGraph(specs);
  }

  private ServiceGraph(Collection<ServiceSpec> specs) {
    specs.forEach(spec -> services.putIfAbsent(spec.name(), spec));
    for (ServiceSpec spec : services.values()) {
      Dependencies names = spec.dependencies();
      link(spec, names.requires(), requires, requiredBy);
      link(spec, names.wants(), wants, null);
      link(spec, names.after(), after, before);
      link(spec, names.conflicts(), conflicts, conflicts);
    }
    startOrder = order();
    for (String name : startOrder) {
      rank.put(name, rank.size());
    }
    problems = new GraphProblems(this).find();
  }

  private void link(
      ServiceSpec spec,
      List<String> names,
      Map<String, Set<String>> forth,
      @Nullable Map<String, Set<String>> back) {
    for (String name : names) {
      if (services.containsKey(name) && !name.equals(spec.name())) {
        forth.computeIfAbsent(spec.name(), from -> new LinkedHashSet<>()).add(name);
        if (back != null) {
          back.computeIfAbsent(name, to -> new LinkedHashSet<>()).add(spec.name());
        }
      }
    }
  }

  /** All mistakes of the graph; services are started only if there are none. */
  public List<GraphProblem> problems() {
    return problems;
  }

  /** The services by name, in the order of names. */
  public Map<String, ServiceSpec> services() {
    return Collections.unmodifiableMap(services);
  }

  public Set<String> requires(String name) {
    return of(requires, name);
  }

  public Set<String> wants(String name) {
    return of(wants, name);
  }

  public Set<String> after(String name) {
    return of(after, name);
  }

  /** The services that must not run at the same time as this one, whichever of the two says so. */
  public Set<String> conflicts(String name) {
    return of(conflicts, name);
  }

  boolean hasConflicts() {
    return !conflicts.isEmpty();
  }

  /** The services that require this one. */
  public Set<String> requiredBy(String name) {
    return of(requiredBy, name);
  }

  /** The services that come after this one. */
  public Set<String> before(String name) {
    return of(before, name);
  }

  /**
   * All services, each after those that it waits for, and otherwise by name. If there is a cycle,
   * its members come last.
   */
  public List<String> startOrder() {
    return startOrder;
  }

  /** The reverse of the start order. */
  public List<String> stopOrder() {
    return startOrder.reversed();
  }

  /** The position in the start order; a name that is not in it comes last. */
  int rank(String name) {
    return rank.getOrDefault(name, Integer.MAX_VALUE);
  }

  /**
   * These services and all that are started with them (what they require and want), in start order.
   */
  public List<String> startedWith(Collection<String> names) {
    return inOrder(reach(names, List.of(requires, wants)));
  }

  /** These services and all that are stopped with them (what requires them), in stop order. */
  public List<String> stoppedWith(Collection<String> names) {
    return inOrder(reach(names, List.of(requiredBy))).reversed();
  }

  /** All services that a service requires, directly or indirectly, without itself. */
  public Set<String> requiredOf(String name) {
    Set<String> reached = reach(List.of(name), List.of(requires));
    reached.remove(name);
    return reached;
  }

  private Set<String> reach(Collection<String> names, List<Map<String, Set<String>>> ways) {
    Set<String> reached = new LinkedHashSet<>();
    Deque<String> next = new ArrayDeque<>(names);
    while (!next.isEmpty()) {
      String name = next.poll();
      if (services.containsKey(name) && reached.add(name)) {
        ways.forEach(way -> next.addAll(of(way, name)));
      }
    }
    return reached;
  }

  private List<String> inOrder(Collection<String> names) {
    List<String> sorted = new ArrayList<>(names);
    sorted.sort((a, b) -> Integer.compare(rank(a), rank(b)));
    return sorted;
  }

  /**
   * Computes the order layer by layer, within a layer by name; members of a cycle come last, by
   * name.
   */
  private List<String> order() {
    Map<String, Integer> waitsFor = new LinkedHashMap<>();
    for (String name : services.keySet()) {
      waitsFor.put(name, predecessors(name).size());
    }
    List<String> order = new ArrayList<>();
    List<String> layer = new ArrayList<>();
    waitsFor.forEach(
        (name, count) -> {
          if (count == 0) {
            layer.add(name);
          }
        });
    List<String> ready = layer;
    while (!ready.isEmpty()) {
      order.addAll(ready);
      List<String> next = new ArrayList<>();
      for (String name : ready) {
        for (String successor : successors(name)) {
          if (waitsFor.merge(successor, -1, Integer::sum) == 0) {
            next.add(successor);
          }
        }
      }
      Collections.sort(next);
      ready = next;
    }
    if (order.size() < services.size()) {
      Set<String> done = new LinkedHashSet<>(order);
      services.keySet().stream().filter(name -> !done.contains(name)).forEach(order::add);
    }
    return List.copyOf(order);
  }

  /** The services that this one waits for when it starts. */
  Set<String> predecessors(String name) {
    return union(of(requires, name), of(after, name));
  }

  /** The services that wait for this one when both start, and that it waits for when both stop. */
  Set<String> successors(String name) {
    return union(of(requiredBy, name), of(before, name));
  }

  Relation orderingRelation(String from, String to) {
    return of(requires, from).contains(to) ? Relation.REQUIRES : Relation.AFTER;
  }

  private static Set<String> union(Set<String> some, Set<String> others) {
    if (others.isEmpty()) {
      return some;
    }
    if (some.isEmpty()) {
      return others;
    }
    Set<String> all = new LinkedHashSet<>(some);
    all.addAll(others);
    return all;
  }

  private static Set<String> of(Map<String, Set<String>> map, String name) {
    Set<String> found = map.get(name);
    return found == null ? NOBODY : Collections.unmodifiableSet(found);
  }
}
