package dev.kron.daemon.services;

import dev.kron.service.Conflicts;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a reload on services, by their names.
 *
 * @param started new, and to be started by themselves
 * @param added new, and not to be started by themselves
 * @param restarted their processes would be others if they were started now
 * @param changed taken over without touching a process
 * @param stopped in no file any more
 * @param conflicting run and are stopped, each with the one that it conflicts with by its file now
 * @param unusable why their credentials cannot be read, by name: they are left alone
 */
public record ServicePlan(
    List<String> started,
    List<String> added,
    List<String> restarted,
    List<String> changed,
    List<String> stopped,
    Map<String, String> conflicting,
    Map<String, String> unusable) {
  public ServicePlan {
    started = List.copyOf(started);
    added = List.copyOf(added);
    restarted = List.copyOf(restarted);
    changed = List.copyOf(changed);
    stopped = List.copyOf(stopped);
    conflicting = Collections.unmodifiableMap(new TreeMap<>(conflicting));
    unusable = Collections.unmodifiableMap(new TreeMap<>(unusable));
  }

  static final ServicePlan NOTHING =
      new ServicePlan(List.of(), List.of(), List.of(), List.of(), List.of(), Map.of(), Map.of());

  /** The changes that taking over these files makes to the present services. */
  static ServicePlan between(
      SupervisionState supervised, ServiceMemory memory, ServiceReading reading) {
    List<String> started = new ArrayList<>();
    List<String> added = new ArrayList<>();
    List<String> restarted = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    Set<String> present = new HashSet<>();
    for (ServiceSpec spec : reading.specs()) {
      String name = spec.name();
      present.add(name);
      ServiceSpec before = supervised.graph().services().get(name);
      if (before == null || supervised.isLeaving(name)) {
        (spec.autostart() ? started : added).add(name);
      } else if (differs(supervised, memory, name, reading.fingerprints().get(name))) {
        restarted.add(name);
      } else if (!spec.equals(before)) {
        changed.add(name);
      }
    }
    List<String> stopped =
        supervised.graph().services().keySet().stream()
            .filter(name -> !present.contains(name) && !supervised.isLeaving(name))
            .toList();
    Map<String, String> conflicting =
        Conflicts.toStop(
            ServiceGraph.of(reading.specs()),
            supervised::instances,
            name -> present.contains(name) && supervised.isWanted(name));
    return new ServicePlan(
        started, added, restarted, changed, stopped, conflicting, reading.unusable());
  }

  /** Whether a process of the service would be another one if it were started now. */
  private static boolean differs(
      SupervisionState supervised,
      ServiceMemory memory,
      String service,
      @Nullable String fingerprint) {
    if (fingerprint == null || !supervised.isWanted(service)) {
      return false;
    }
    for (ServiceInstance instance : supervised.instances(service)) {
      RunFacts run = memory.find(instance.id());
      boolean counts =
          instance.runId() != null || instance.state().kind() == ServiceState.Kind.FAILED;
      if (counts
          && run != null
          && !run.fingerprint().isEmpty()
          && !run.fingerprint().equals(fingerprint)) {
        return true;
      }
    }
    return false;
  }

  boolean isEmpty() {
    return equals(NOTHING);
  }

  /** For people: {@code start mail, restart web, stop old}. */
  String summary() {
    List<String> parts = sentences();
    return parts.isEmpty() ? "services unchanged" : String.join("; ", parts);
  }

  /** One for each thing that is done. */
  public List<String> sentences() {
    List<String> parts = new ArrayList<>();
    part(parts, "start", started);
    part(parts, "add", added);
    part(parts, "restart", restarted);
    part(parts, "take over changes of", changed);
    part(parts, "stop", stopped);
    conflicting.forEach(
        (name, other) ->
            parts.add(
                "stop %s, which conflicts with %s and was started later; it is started again when that is gone"
                    .formatted(name, other)));
    unusable.forEach(
        (name, reason) ->
            parts.add(
                "no process of %s can be started, what runs goes on: %s: mend that and reload again"
                    .formatted(name, reason)));
    return parts;
  }

  private static void part(List<String> parts, String what, List<String> names) {
    if (!names.isEmpty()) {
      parts.add(what + " " + String.join(", ", names));
    }
  }
}
