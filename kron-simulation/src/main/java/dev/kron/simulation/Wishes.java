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
 * The wishes of operators and files for services: kept from what was asked and answered, never from
 * what a daemon wrote. Where a daemon died between a request and its answer, both may be so; what
 * the next daemon finds decides.
 */
final class Wishes {
  private final Set<String> up = new HashSet<>();
  private final Set<String> open = new HashSet<>();
  private Map<String, ServiceSpec> known = Map.of();

  /** Whether somebody wants it up; null: nobody can know. */
  @Nullable Boolean of(String service) {
    return (open.contains(service) || !known.containsKey(service)) ? null : up.contains(service);
  }

  /**
   * A daemon has come up with these files. What it did not remember is new to it; what is wanted up
   * wants up all that it requires by now.
   *
   * @param remembered whether each service was wanted up, by what the daemon found
   * @param all whether it would have found every service that it ever knew
   */
  void begun(Map<String, ServiceSpec> services, Map<String, Boolean> remembered, boolean all) {
    Set<String> before = known.keySet();
    known = services;
    up.retainAll(services.keySet());
    open.retainAll(services.keySet());
    Set<String> fresh = new TreeSet<>();
    Set<String> perhaps = new TreeSet<>();
    for (String service : services.keySet()) {
      Boolean wanted = remembered.get(service);
      if (wanted == null && !all) {
        perhaps.add(service);
      } else if (wanted == null) {
        set(service, false);
        fresh.add(service);
      } else if (open.contains(service) || !before.contains(service)) {
        set(service, wanted);
      }
    }
    open.addAll(closure(perhaps, it -> needed(known.get(it)))); // it may be new
    fresh.removeIf(service -> !isStarted(services.get(service)));
    start(fresh);
    up.removeAll(open);
    closure(Set.copyOf(up), this::required).forEach(it -> set(it, true));
    Set<String> maybe = closure(Set.copyOf(open), this::required);
    maybe.removeAll(up);
    open.addAll(maybe);
  }

  private static boolean isStarted(@Nullable ServiceSpec spec) {
    return spec != null && spec.autostart();
  }

  private Set<String> required(String service) {
    ServiceSpec spec = known.get(service);
    return spec == null ? Set.of() : Set.copyOf(spec.dependencies().requires());
  }

  /** A daemon that is there has taken these files over. */
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

  /** A change was tried, and whether it happened is not known. */
  void unsure(Collection<String> services) {
    open.addAll(services);
  }

  void unsure() {
    open.addAll(known.keySet());
  }

  /** The file that a starting daemon finds decides what was not known. */
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
