package dev.kron.service;

import dev.kron.service.ServiceState.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of all services: their specifications, whether they are wanted up, and their instances.
 * Immutable; {@link Supervision} makes the next one.
 */
public final class SupervisionState {
  private final ServiceGraph graph;
  private final Map<String, List<ServiceInstance>> instances;
  private final Set<String> wanted;
  private final Set<String> leaving;
  private final @Nullable Halting halting;

  SupervisionState(
      ServiceGraph graph,
      Map<String, List<ServiceInstance>> instances,
      Set<String> wanted,
      Set<String> leaving,
      @Nullable Halting halting) {
    this.graph = graph;
    this.instances = instances;
    this.wanted = wanted;
    this.leaving = leaving;
    this.halting = halting;
  }

  /**
   * The shutdown of everything.
   *
   * @param untilBootMillis the moment by which everything must be gone
   * @param levels for each service, how many have to end one after another, from it down to its
   *     last requirement
   */
  record Halting(long untilBootMillis, Map<String, Integer> levels) {
    Halting {
      levels = Map.copyOf(levels);
    }
  }

  /** A state without services; the first reload brings them. */
  public static SupervisionState empty() {
    return new SupervisionState(ServiceGraph.of(List.of()), Map.of(), Set.of(), Set.of(), null);
  }

  /**
   * The state that a daemon finds when it comes back.
   *
   * @param instances of each service, in the order of their numbers; services without any get new
   *     ones
   * @param wanted names of services that are wanted up
   * @param leaving names of services that are no longer in a file and still have processes
   */
  public static SupervisionState of(
      ServiceGraph graph,
      Map<String, List<ServiceInstance>> instances,
      Set<String> wanted,
      Set<String> leaving) {
    Map<String, List<ServiceInstance>> all = new HashMap<>();
    graph
        .services()
        .forEach(
            (name, spec) ->
                all.put(name, completed(spec, instances.getOrDefault(name, List.of()))));
    return new SupervisionState(graph, all, new HashSet<>(wanted), new HashSet<>(leaving), null);
  }

  static List<ServiceInstance> completed(ServiceSpec spec, List<ServiceInstance> present) {
    if (present.size() >= spec.instances()) {
      return List.copyOf(present);
    }
    List<ServiceInstance> all = new ArrayList<>(present);
    while (all.size() < spec.instances()) {
      all.add(ServiceInstance.inactive(new InstanceId(spec.name(), all.size()), spec));
    }
    return List.copyOf(all);
  }

  public ServiceGraph graph() {
    return graph;
  }

  /** The instances of a service; empty if no service has this name. */
  public List<ServiceInstance> instances(String service) {
    return instances.getOrDefault(service, List.of());
  }

  public @Nullable ServiceInstance instance(InstanceId id) {
    List<ServiceInstance> all = instances(id.service());
    return id.index() < all.size() ? all.get(id.index()) : null;
  }

  /** Whether an operator wants the service up. */
  public boolean isWanted(String service) {
    return wanted.contains(service);
  }

  /** Whether the service is no longer in a file. */
  public boolean isLeaving(String service) {
    return leaving.contains(service);
  }

  public boolean isHalting() {
    return halting != null;
  }

  @Nullable Halting halting() {
    return halting;
  }

  /** Whether no service has a process, or is about to have one. */
  public boolean isAtRest() {
    return instances.values().stream()
        .allMatch(all -> all.stream().noneMatch(ServiceInstance::holdsUp));
  }

  /**
   * The state of a service: that of its instances if they agree, otherwise the one that most needs
   * attention.
   */
  public ServiceState state(String service) {
    return sumUp(instances(service));
  }

  /** Whether all instances have reached the state that dependent services wait for. */
  public boolean isUp(String service) {
    ServiceSpec spec = graph.services().get(service);
    return spec != null && instances(service).stream().allMatch(it -> it.isSatisfied(spec));
  }

  static ServiceState sumUp(List<ServiceInstance> instances) {
    ServiceState worst = new ServiceState.Inactive();
    int place = Integer.MAX_VALUE;
    for (ServiceInstance instance : instances) {
      int own = place(instance.state().kind());
      if (own < place) {
        place = own;
        worst = instance.state();
      }
    }
    return worst;
  }

  /** The order of attention: a service is running only if all its instances are. */
  private static int place(Kind kind) {
    return switch (kind) {
      case FAILED -> 0;
      case STOPPING -> 1;
      case STARTING -> 2;
      case BLOCKED -> 3;
      case INACTIVE -> 4;
      case EXITED -> 5;
      case RUNNING -> 6;
    };
  }

  Map<String, List<ServiceInstance>> all() {
    return instances;
  }

  /** The names of services that are wanted up. */
  public Set<String> wanted() {
    return Collections.unmodifiableSet(wanted);
  }

  Set<String> leaving() {
    return leaving;
  }
}
