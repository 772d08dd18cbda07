package dev.kron.service;

import dev.kron.service.ServiceState.Kind;
import java.util.ArrayList;
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
  private final Wanted wanted;
  private final Set<String> leaving;
  private final @Nullable Halting halting;

  SupervisionState(
      ServiceGraph graph,
      Map<String, List<ServiceInstance>> instances,
      Wanted wanted,
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
    return new SupervisionState(
        ServiceGraph.of(List.of()), Map.of(), Wanted.NOTHING, Set.of(), null);
  }

  /**
   * The state that a daemon finds when it comes back.
   *
   * @param instances of each service, in the order of their numbers; services without any get new
   *     ones
   * @param leaving names of services that are no longer in a file and still have processes
   */
  public static SupervisionState of(
      ServiceGraph graph,
      Map<String, List<ServiceInstance>> instances,
      Wanted wanted,
      Set<String> leaving) {
    Map<String, List<ServiceInstance>> all = new HashMap<>();
    graph
        .services()
        .forEach(
            (name, spec) ->
                all.put(
                    name,
                    completed(spec, wanted.size(spec), instances.getOrDefault(name, List.of()))));
    return new SupervisionState(graph, all, wanted, new HashSet<>(leaving), null);
  }

  static List<ServiceInstance> completed(
      ServiceSpec spec, int size, List<ServiceInstance> present) {
    if (present.size() >= size) {
      return List.copyOf(present);
    }
    List<ServiceInstance> all = new ArrayList<>(present);
    while (all.size() < size) {
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
    return wanted.up().contains(service);
  }

  /** Whether an instance is to be up: its service is, and it was not stopped by itself. */
  public boolean isWanted(InstanceId id) {
    ServiceSpec spec = graph.services().get(id.service());
    return spec != null && wanted.isUp(id, spec);
  }

  /** How many instances a service is to have; 0 for a name that no service has. */
  public int size(String service) {
    ServiceSpec spec = graph.services().get(service);
    return spec == null ? 0 : wanted.size(spec);
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
   * attention. Instances that were stopped one by one do not count beside others.
   */
  public ServiceState state(String service) {
    List<ServiceInstance> counting =
        instances(service).stream().filter(it -> !wanted.stopped().contains(it.id())).toList();
    return sumUp(counting.isEmpty() ? instances(service) : counting);
  }

  /** Whether all instances have reached the state that dependent services wait for. */
  public boolean isUp(String service) {
    ServiceSpec spec = graph.services().get(service);
    return spec != null
        && instances(service).stream()
            .allMatch(it -> it.isSatisfied(spec) || wanted.stopped().contains(it.id()));
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

  /** The wishes of operators. */
  public Wanted wanted() {
    return wanted;
  }

  Set<String> leaving() {
    return leaving;
  }
}
