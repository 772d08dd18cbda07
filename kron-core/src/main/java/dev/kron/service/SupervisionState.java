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
 * All services: what they are, what is wanted of them, and what each of their instances is about.
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
   * Everything is being brought down.
   *
   * @param untilBootMillis by when nothing may be left
   * @param levels how many have to go one after another, from a service down to what it needs
   */
  record Halting(long untilBootMillis, Map<String, Integer> levels) {
    Halting {
      levels = Map.copyOf(levels);
    }
  }

  /** None at all; the first reload brings them. */
  public static SupervisionState empty() {
    return new SupervisionState(ServiceGraph.of(List.of()), Map.of(), Set.of(), Set.of(), null);
  }

  /**
   * What a daemon finds that comes back.
   *
   * @param instances of each service, in the order of their numbers; services without get new ones
   * @param wanted names of services that are wanted up
   * @param leaving names of services that are in no file any more and still have processes
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

  /** Empty for a name that no service has. */
  public List<ServiceInstance> instances(String service) {
    return instances.getOrDefault(service, List.of());
  }

  public @Nullable ServiceInstance instance(InstanceId id) {
    List<ServiceInstance> all = instances(id.service());
    return id.index() < all.size() ? all.get(id.index()) : null;
  }

  /** What the operator wants. */
  public boolean isWanted(String service) {
    return wanted.contains(service);
  }

  /** Whether it is in no file any more. */
  public boolean isLeaving(String service) {
    return leaving.contains(service);
  }

  public boolean isHalting() {
    return halting != null;
  }

  @Nullable Halting halting() {
    return halting;
  }

  /** No process of any service is there, or about to be. */
  public boolean isAtRest() {
    return instances.values().stream()
        .allMatch(all -> all.stream().noneMatch(ServiceInstance::holdsUp));
  }

  /**
   * The state of a service: that of its instances where they agree; otherwise the one that most
   * needs to be seen.
   */
  public ServiceState state(String service) {
    return sumUp(instances(service));
  }

  /** Whether all its instances do what those who require it wait for. */
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

  /** Running only where all are. */
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

  /** Names of services that are wanted up. */
  public Set<String> wanted() {
    return Collections.unmodifiableSet(wanted);
  }

  Set<String> leaving() {
    return leaving;
  }
}
