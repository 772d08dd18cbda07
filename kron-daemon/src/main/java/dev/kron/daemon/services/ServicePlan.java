package dev.kron.daemon.services;

import dev.kron.service.Conflicts;
import dev.kron.service.InstanceId;
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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a reload on services, by the names of processes or services.
 *
 * @param started processes that are started
 * @param added new services that are not started by themselves
 * @param differing instances that would have other processes if they were started now
 * @param changed services that are taken over without touching a process
 * @param stopped processes that are stopped
 * @param conflicting services that run and are stopped, each with the one that it conflicts with by
 *     its file now
 * @param unusable why credentials cannot be read, by the names of services: they are left alone
 */
public record ServicePlan(
    List<String> started,
    List<String> added,
    List<InstanceId> differing,
    List<String> changed,
    List<String> stopped,
    Map<String, String> conflicting,
    Map<String, String> unusable) {
  public ServicePlan {
    started = List.copyOf(started);
    added = List.copyOf(added);
    differing = List.copyOf(differing);
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
    List<InstanceId> differing = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    List<String> stopped = new ArrayList<>();
    Set<String> present = new HashSet<>();
    for (ServiceSpec spec : reading.specs()) {
      String name = spec.name();
      present.add(name);
      ServiceSpec before = supervised.graph().services().get(name);
      if (before == null || supervised.isLeaving(name)) {
        if (spec.autostart()) {
          started.addAll(processes(name, 0, spec.instances()));
        } else {
          added.add(name);
        }
        continue;
      }
      List<InstanceId> others =
          differing(supervised, memory, name, reading.fingerprints().get(name));
      differing.addAll(others);
      if (others.isEmpty() && !spec.equals(before)) {
        changed.add(name);
      }
      if (spec.instances() != before.instances()) {
        int size = supervised.size(name);
        stopped.addAll(processes(name, spec.instances(), size));
        if (supervised.isWanted(name)) {
          started.addAll(processes(name, size, spec.instances()));
        }
      }
    }
    for (String name : supervised.graph().services().keySet()) {
      if (!present.contains(name) && !supervised.isLeaving(name)) {
        stopped.addAll(processes(name, 0, supervised.size(name)));
      }
    }
    Map<String, String> conflicting =
        Conflicts.toStop(
            ServiceGraph.of(reading.specs()),
            supervised::instances,
            name -> present.contains(name) && supervised.isWanted(name));
    return new ServicePlan(
        started, added, differing, changed, stopped, conflicting, reading.unusable());
  }

  /** The names of processes. The only instance of a service has the service's name. */
  private static List<String> processes(String service, int from, int to) {
    if (from == 0 && to == 1) {
      return List.of(service);
    }
    return IntStream.range(from, Math.max(from, to))
        .mapToObj(index -> new InstanceId(service, index).toString())
        .toList();
  }

  /** The instances whose processes would be others if they were started now. */
  private static List<InstanceId> differing(
      SupervisionState supervised,
      ServiceMemory memory,
      String service,
      @Nullable String fingerprint) {
    if (fingerprint == null || !supervised.isWanted(service)) {
      return List.of();
    }
    List<InstanceId> differing = new ArrayList<>();
    for (ServiceInstance instance : supervised.instances(service)) {
      RunFacts run = memory.find(instance.id());
      boolean counts =
          instance.runId() != null || instance.state().kind() == ServiceState.Kind.FAILED;
      if (counts
          && run != null
          && !run.fingerprint().isEmpty()
          && !run.fingerprint().equals(fingerprint)) {
        differing.add(instance.id());
      }
    }
    return differing;
  }

  /** The restarts, in sentences; those of one service come one after the other. */
  private List<String> restarts() {
    Map<String, List<InstanceId>> byService = new TreeMap<>();
    differing.forEach(
        id -> byService.computeIfAbsent(id.service(), name -> new ArrayList<>()).add(id));
    List<String> single = new ArrayList<>();
    List<String> rolling = new ArrayList<>();
    byService.forEach(
        (service, instances) -> {
          String names =
              instances.stream().map(InstanceId::toString).collect(Collectors.joining(", "));
          if (instances.size() > 1) {
            rolling.add("restart " + names + ", one after the other");
          } else {
            single.add(instances.getFirst().index() == 0 ? service : names);
          }
        });
    List<String> sentences = new ArrayList<>();
    part(sentences, "restart", single);
    sentences.addAll(rolling);
    return sentences;
  }

  boolean isEmpty() {
    return equals(NOTHING);
  }

  /** A summary for people, such as {@code start mail, restart web, stop old}. */
  String summary() {
    List<String> parts = sentences();
    return parts.isEmpty() ? "services unchanged" : String.join("; ", parts);
  }

  /** The changes, a sentence for each. */
  public List<String> sentences() {
    List<String> parts = new ArrayList<>();
    part(parts, "start", started);
    part(parts, "add", added);
    parts.addAll(restarts());
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
