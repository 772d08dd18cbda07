package dev.kron.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sets of services that wait for each other, directly or indirectly: the strongly connected
 * components of more than one service. Tarjan's algorithm with an explicit stack, since a chain may
 * be as long as there are services.
 */
final class DependencyCycles {
  private final ServiceGraph graph;
  private final Map<String, Integer> number = new HashMap<>();
  private final Map<String, Integer> lowest = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final Set<String> isOpen = new LinkedHashSet<>();
  private final List<Set<String>> cycles = new ArrayList<>();

  DependencyCycles(ServiceGraph graph) {
    this.graph = graph;
  }

  private record Visit(String name, Iterator<String> rest) {}

  List<Set<String>> find() {
    for (String name : graph.services().keySet()) {
      if (!number.containsKey(name)) {
        walk(name);
      }
    }
    return cycles;
  }

  private void walk(String root) {
    Deque<Visit> way = new ArrayDeque<>();
    way.push(enter(root));
    while (!way.isEmpty()) {
      Visit visit = way.element();
      if (visit.rest().hasNext()) {
        String to = visit.rest().next();
        if (!number.containsKey(to)) {
          way.push(enter(to));
        } else if (isOpen.contains(to)) {
          lowest.merge(visit.name(), number.getOrDefault(to, 0), Math::min);
        }
      } else {
        way.pop();
        leave(visit.name());
        if (!way.isEmpty()) {
          lowest.merge(way.element().name(), lowest.getOrDefault(visit.name(), 0), Math::min);
        }
      }
    }
  }

  private Visit enter(String name) {
    int next = number.size();
    number.put(name, next);
    lowest.put(name, next);
    open.push(name);
    isOpen.add(name);
    return new Visit(name, graph.predecessors(name).iterator());
  }

  private void leave(String name) {
    if (lowest.getOrDefault(name, 0) < number.getOrDefault(name, 0)) {
      return;
    }
    Set<String> cycle = new LinkedHashSet<>();
    String member;
    do {
      member = open.pop();
      isOpen.remove(member);
      cycle.add(member);
    } while (!member.equals(name));
    if (cycle.size() > 1) {
      cycles.add(cycle);
    }
  }
}
