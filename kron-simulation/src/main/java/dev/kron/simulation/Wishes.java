package dev.kron.simulation;

import dev.kron.service.ServiceSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What operators and files want of services: kept from what was asked and answered, never from what
 * a daemon wrote. Where a daemon died between a request and its answer, both may be so; what the
 * next daemon finds decides.
 */
final class Wishes {
  private final Set<String> up = new HashSet<>();
  private final Set<String> open = new HashSet<>();
  private Map<String, ServiceSpec> known = Map.of();

  /** Whether somebody wants it up; null: nobody can know. */
  @Nullable Boolean of(String service) {
    return (open.contains(service) || !known.containsKey(service)) ? null : up.contains(service);
  }

  /** A daemon is there with these files, or has taken them over. */
  void taken(Map<String, ServiceSpec> services) {
    Map<String, ServiceSpec> before = known;
    known = services;
    up.retainAll(services.keySet());
    open.retainAll(services.keySet());
    Set<String> toStart = new TreeSet<>();
    services.forEach(
        (name, spec) -> {
          ServiceSpec was = before.get(name);
          if (was == null) {
            if (spec.autostart()) {
              toStart.add(name);
            }
          } else if (!was.equals(spec)) {
            Set<String> more = new HashSet<>(spec.dependencies().wants());
            more.removeAll(was.dependencies().wants());
            more.addAll(spec.dependencies().requires());
            more.removeAll(was.dependencies().requires());
            if (open.contains(name)) {
              open.addAll(more);
            } else if (up.contains(name)) {
              toStart.addAll(more);
            }
          }
        });
    start(toStart);
  }

  /** Something was to change, and whether it did is not known. */
  void unsure(Collection<String> services) {
    open.addAll(services);
  }

  void unsure() {
    open.addAll(known.keySet());
  }

  /** What a daemon finds that starts: of what was not known, this is so. */
  void found(@Nullable SupervisorView file) {
    if (file != null) {
      for (String service : List.copyOf(open)) {
        if (file.spec(service) != null) {
          set(service, file.isWanted(service));
        }
      }
    }
  }

  /** An operator was told that this is done. */
  void answered(String what, String service) {
    if (what.equals("stop service")) {
      closure(Set.of(service), this::requiredBy).forEach(it -> set(it, false));
    } else {
      start(Set.of(service));
    }
  }

  /** All that a request may concern. */
  Set<String> concerned(String service) {
    Set<String> all = closure(Set.of(service), this::requiredBy);
    all.addAll(closure(Set.of(service), it -> needed(known.get(it))));
    return all;
  }

  private void start(Set<String> services) {
    closure(services, it -> needed(known.get(it))).forEach(it -> set(it, true));
  }

  private void set(String service, boolean wanted) {
    open.remove(service);
    if (wanted) {
      up.add(service);
    } else {
      up.remove(service);
    }
  }

  private static Set<String> needed(@Nullable ServiceSpec spec) {
    Set<String> names = new HashSet<>();
    if (spec != null) {
      names.addAll(spec.dependencies().requires());
      names.addAll(spec.dependencies().wants());
    }
    return names;
  }

  private Set<String> requiredBy(String service) {
    Set<String> names = new HashSet<>();
    known.forEach(
        (name, spec) -> {
          if (spec.dependencies().requires().contains(service)) {
            names.add(name);
          }
        });
    return names;
  }

  private Set<String> closure(Set<String> services, Function<String, Set<String>> next) {
    Map<String, Boolean> seen = new HashMap<>();
    List<String> left = new ArrayList<>(services);
    while (!left.isEmpty()) {
      String service = left.removeLast();
      if (known.containsKey(service) && seen.put(service, true) == null) {
        left.addAll(next.apply(service));
      }
    }
    return new TreeSet<>(seen.keySet());
  }
}
