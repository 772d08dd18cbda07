package dev.kron.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All services while a step works out their next states. The consequences of an event are followed
 * from service to service until there are no more; effects are only collected.
 *
 * <p>One file, though a long one: what is wanted, what others see of a service and who is told of
 * it change together.
 */
final class SupervisionDraft {
  /**
   * The facts about a service that others can see.
   *
   * @param awaited whether services that come after it have to wait
   * @param isThere whether it has a process, so that conflicting services have to wait
   * @param holdsUp whether the services that it requires have to wait for it when everything is
   *     stopped
   */
  private record Facts(
      Standing standing,
      @Nullable String culprit,
      boolean awaited,
      boolean isThere,
      boolean holdsUp) {}

  private record Notification(String service, Facts before, Facts after) {}

  private final Moment now;
  private final Supplier<String> runIds;
  private final Map<String, List<ServiceInstance>> instances;
  private final Deque<Notification> toTell = new ArrayDeque<>();
  private final List<ServiceEffect> effects = new ArrayList<>();
  private final Set<InstanceId> changed = new LinkedHashSet<>();
  private final Set<String> wantedChanged = new LinkedHashSet<>();
  private final Set<String> removed = new LinkedHashSet<>();
  private final Set<String> toRoll = new LinkedHashSet<>();
  private final Set<String> wanted;
  private final Set<InstanceId> stopped;
  private final Map<String, Integer> scaled;
  private final Set<String> leaving;
  private ServiceGraph graph;
  private SupervisionState.@Nullable Halting halting;

  SupervisionDraft(SupervisionState supervised, Moment now, Supplier<String> runIds) {
    this.now = now;
    this.runIds = runIds;
    graph = supervised.graph();
    instances = new HashMap<>(supervised.all());
    wanted = new HashSet<>(supervised.wanted().up());
    stopped = new HashSet<>(supervised.wanted().stopped());
    scaled = new HashMap<>(supervised.wanted().scaled());
    leaving = new HashSet<>(supervised.leaving());
    halting = supervised.halting();
  }

  SupervisionStep toStep() {
    propagate();
    List.copyOf(toRoll).forEach(this::roll);
    propagate();
    dropWhoHasLeft();
    return new SupervisionStep(
        new SupervisionState(
            graph, instances, new Wanted(wanted, stopped, scaled), leaving, halting),
        changed,
        wantedChanged,
        removed,
        List.copyOf(effects));
  }

  ServiceGraph graph() {
    return graph;
  }

  ServiceSpec spec(String service) {
    ServiceSpec spec = graph.services().get(service);
    if (spec == null) {
      throw new IllegalArgumentException("there is no service " + service);
    }
    return spec;
  }

  List<ServiceInstance> instances(String service) {
    return instances.getOrDefault(service, List.of());
  }

  @Nullable ServiceInstance instance(InstanceId id) {
    List<ServiceInstance> all = instances(id.service());
    return id.index() < all.size() ? all.get(id.index()) : null;
  }

  boolean isSatisfied(String service) {
    return facts(service).standing == Standing.SATISFIED;
  }

  void want(String service, boolean up) {
    Facts before = facts(service);
    boolean differs = up ? wanted.add(service) : wanted.remove(service);
    if (differs) {
      wantedChanged.add(service);
      remember(service, before);
    }
  }

  /** An instance by itself is to be down, or as its service again. */
  void stopByItself(InstanceId id, boolean down) {
    Facts before = facts(id.service());
    boolean differs = down ? stopped.add(id) : stopped.remove(id);
    if (differs) {
      wantedChanged.add(id.service());
      remember(id.service(), before);
    }
  }

  /** All its instances are wanted as the service is. */
  void wantAllAlike(String service) {
    instances(service).forEach(instance -> stopByItself(instance.id(), false));
  }

  /** A service is to have so many instances, whatever its file says; new ones are at rest. */
  void scale(String service, int count) {
    ServiceSpec spec = spec(service);
    if (size(service) == count) {
      return;
    }
    Facts before = facts(service);
    if (count == spec.instances()) {
      scaled.remove(service);
    } else {
      scaled.put(service, count);
    }
    stopped.removeIf(id -> id.service().equals(service) && id.index() >= count);
    instances.put(service, SupervisionState.completed(spec, count, instances(service)));
    wantedChanged.add(service);
    remember(service, before);
  }

  /** How many instances a service is to have. */
  int size(String service) {
    return scaled.getOrDefault(service, spec(service).instances());
  }

  boolean isWanted(InstanceId id) {
    return isWanted(id.service()) && isCounted(id);
  }

  /** Whether what a service is wanted to be holds for this instance of it. */
  private boolean isCounted(InstanceId id) {
    return id.index() < size(id.service()) && !stopped.contains(id);
  }

  boolean isWanted(String service) {
    return wanted.contains(service) && !leaving.contains(service) && halting == null;
  }

  /**
   * Brings everything down: this daemon wants nothing up any more, but the wishes of operators
   * stay.
   */
  void halt(long untilBootMillis) {
    Map<String, Integer> levels = new HashMap<>();
    for (String service : graph.startOrder()) {
      if (facts(service).holdsUp) {
        int below =
            graph.predecessors(service).stream()
                .mapToInt(needed -> levels.getOrDefault(needed, 0))
                .max()
                .orElse(0);
        levels.put(service, below + 1);
      }
    }
    halting = new SupervisionState.Halting(untilBootMillis, levels);
  }

  /**
   * The terms for an instance while everything goes down; the remaining time is shared by the
   * services that have to end one after another.
   */
  private @Nullable Halt halt(InstanceId id) {
    if (halting == null) {
      return null;
    }
    long left = Math.max(0, halting.untilBootMillis() - now.bootMillis());
    return new Halt(comesBack(id), left / halting.levels().getOrDefault(id.service(), 1));
  }

  /** Whether everything goes down and the next daemon starts this instance again. */
  boolean comesBack(InstanceId id) {
    String service = id.service();
    return halting != null
        && wanted.contains(service)
        && !leaving.contains(service)
        && isCounted(id);
  }

  /** Sends an event to all instances of a service. */
  void sendAll(String service, ServiceEvent event) {
    for (int i = 0; i < instances(service).size(); i++) {
      send(new InstanceId(service, i), event);
    }
  }

  /**
   * Sends an event to an instance, and remembers to tell other services if they can see a
   * difference.
   */
  void send(InstanceId id, ServiceEvent event) {
    List<ServiceInstance> all = instances(id.service());
    if (id.index() >= all.size()) {
      return; // of a service or an instance that is no more
    }
    toRoll.add(id.service());
    Facts before = facts(id.service());
    InstanceStep step = ServiceMachine.step(all.get(id.index()), surroundings(id), event);
    effects.addAll(step.effects());
    if (step.changed()) {
      List<ServiceInstance> next = new ArrayList<>(all);
      next.set(id.index(), step.instance());
      instances.put(id.service(), List.copyOf(next));
      changed.add(id);
      remember(id.service(), before);
    }
  }

  /** An instance keeps its process until its turn comes, or for good. */
  void restartInTurn(InstanceId id, boolean later) {
    ServiceInstance instance = instance(id);
    if (instance != null && instance.toRestart() != later) {
      List<ServiceInstance> next = new ArrayList<>(instances(id.service()));
      next.set(id.index(), instance.toRestart(later));
      instances.put(id.service(), List.copyOf(next));
      changed.add(id);
    }
    toRoll.add(id.service());
  }

  /** Restarts the next instance whose turn it is, if all others of its service are up. */
  private void roll(String service) {
    if (halting != null || leaving.contains(service)) {
      return;
    }
    ServiceInstance next = null;
    for (ServiceInstance instance : instances(service)) {
      if (instance.toRestart() && isWanted(instance.id())) {
        next = instance;
        break;
      }
    }
    if (next == null) {
      return;
    }
    for (ServiceInstance other : instances(service)) {
      if (isWanted(other.id()) && !other.equals(next) && !other.isSettled()) {
        if (other.isOver() && changed.contains(other.id())) {
          effects.add(
              new ServiceEffect.Log(next.id(), new ServiceEffect.Notice.RestartWaits(other.id())));
        }
        return;
      }
    }
    send(next.id(), new ServiceEvent.StopRequested());
  }

  private void remember(String service, Facts before) {
    Facts after = facts(service);
    if (!after.equals(before)) {
      toTell.add(new Notification(service, before, after));
    }
  }

  private ServiceContext surroundings(InstanceId id) {
    String service = id.service();
    Set<String> waitingOn = new LinkedHashSet<>();
    String culprit = null;
    for (String required : graph.requires(service)) {
      Facts facts = facts(required);
      if (facts.standing == Standing.OVER) {
        culprit = culprit == null ? facts.culprit : culprit;
      } else if (facts.standing != Standing.SATISFIED) {
        waitingOn.add(required);
      }
    }
    for (String earlier : graph.after(service)) {
      if (facts(earlier).awaited) {
        waitingOn.add(earlier);
      }
    }
    List<String> conflicts = new ArrayList<>();
    for (String other : graph.conflicts(service)) {
      if (facts(other).isThere) {
        conflicts.add(other);
      }
    }
    return new ServiceContext(
        spec(service),
        isWanted(id),
        List.copyOf(waitingOn),
        conflicts,
        culprit,
        now,
        runIds,
        halt(id));
  }

  private Facts facts(String service) {
    ServiceSpec spec = spec(service);
    boolean isWanted = isWanted(service);
    boolean counted = false;
    boolean satisfied = true;
    boolean awaited = false;
    boolean isThere = false;
    boolean holdsUp = false;
    String culprit = null;
    for (ServiceInstance instance : instances(service)) {
      isThere |= instance.isThere();
      holdsUp |= instance.holdsUp();
      if (!isCounted(instance.id())) {
        continue; // on its way out, or down by itself
      }
      counted = true;
      boolean own = instance.isSatisfied(spec);
      satisfied &= own;
      awaited |=
          switch (instance.state().kind()) {
            case BLOCKED, STARTING, STOPPING -> true;
            case INACTIVE, RUNNING, EXITED, FAILED -> false;
          };
      if (!own && instance.isOver() && culprit == null) {
        culprit = culprit(instance);
      }
    }
    Standing standing;
    if (!isWanted || !counted) {
      standing = Standing.IDLE;
    } else if (satisfied) {
      standing = Standing.SATISFIED;
    } else {
      standing = culprit == null ? Standing.COMING : Standing.OVER;
    }
    return new Facts(
        standing,
        standing == Standing.OVER ? culprit : null,
        isWanted && awaited,
        isThere,
        holdsUp);
  }

  /** The service whose failure began a chain of failures. */
  private static String culprit(ServiceInstance instance) {
    return instance.state() instanceof ServiceState.Failed failed
            && failed.reason() instanceof FailureReason.DependencyFailed by
        ? by.service()
        : instance.id().service();
  }

  void propagate() {
    for (Notification next = toTell.poll(); next != null; next = toTell.poll()) {
      tell(next);
    }
  }

  /**
   * Tells dependent services of a change, unless more has happened since; that has its own
   * notification.
   */
  private void tell(Notification told) {
    String service = told.service;
    if (!graph.services().containsKey(service)) {
      return;
    }
    boolean stillSo = facts(service).standing == told.after.standing;
    if (stillSo && told.after.standing != told.before.standing) {
      for (String dependent : inOrder(graph.requiredBy(service))) {
        switch (told.after.standing) {
          case SATISFIED -> sendAll(dependent, new ServiceEvent.DependencySatisfied(service));
          case OVER -> {
            String culprit = told.after.culprit == null ? service : told.after.culprit;
            sendAll(dependent, new ServiceEvent.DependencyFailed(culprit));
          }
          case COMING, IDLE -> sendAll(dependent, new ServiceEvent.DependencyLost(service));
        }
      }
    }
    if (told.before.awaited && !told.after.awaited) {
      for (String later : inOrder(graph.before(service))) {
        sendAll(later, new ServiceEvent.DependencySatisfied(service));
      }
    }
    if (told.before.isThere && !told.after.isThere) {
      for (String other : inOrder(graph.conflicts(service))) {
        sendAll(other, new ServiceEvent.ConflictEnded(service));
      }
    }
    if (told.before.holdsUp && !told.after.holdsUp) {
      graph.predecessors(service).forEach(this::stopIfUnwanted);
    }
  }

  private List<String> inOrder(Set<String> services) {
    if (services.size() < 2) {
      return List.copyOf(services);
    }
    return services.stream()
        .sorted((a, b) -> Integer.compare(graph.rank(a), graph.rank(b)))
        .toList();
  }

  /** Stops a service that is not wanted up, as soon as no service that requires it is left. */
  void stopIfUnwanted(String service) {
    boolean free =
        graph.successors(service).stream()
            .noneMatch(later -> !isWanted(later) && facts(later).holdsUp);
    for (ServiceInstance instance : instances(service)) {
      InstanceId id = instance.id();
      if (!isWanted(id)) {
        boolean surplus = isWanted(service);
        switch (instance.state().kind()) {
          case STARTING, RUNNING -> {
            if (free || surplus) {
              send(id, new ServiceEvent.StopRequested());
            }
          }
          case BLOCKED, STOPPING, EXITED, FAILED -> send(id, new ServiceEvent.StopRequested());
          case INACTIVE -> {} // at rest
        }
      }
    }
  }

  /**
   * Takes over new specifications. That alone starts and stops nothing, but may change which
   * services are up or awaited: with one instance less, for example, all instances of a service may
   * be up.
   */
  void replaceSpecs(List<ServiceSpec> specs) {
    Map<String, Facts> before = new HashMap<>();
    graph.services().keySet().forEach(service -> before.put(service, facts(service)));
    Set<String> present = new HashSet<>();
    List<ServiceSpec> all = new ArrayList<>(specs);
    specs.forEach(spec -> present.add(spec.name()));
    leaving.removeAll(present);
    for (ServiceSpec old : graph.services().values()) {
      if (!present.contains(old.name())) {
        want(old.name(), false);
        leaving.add(old.name());
        all.add(old);
      }
    }
    for (ServiceSpec spec : specs) {
      ServiceSpec was = graph.services().get(spec.name());
      if (was != null && was.instances() != spec.instances()) {
        scaled.remove(spec.name()); // the file's number counts again
        stopped.removeIf(id -> id.service().equals(spec.name()) && id.index() >= spec.instances());
      }
    }
    graph = ServiceGraph.of(all);
    for (ServiceSpec spec : specs) {
      instances.merge(
          spec.name(),
          SupervisionState.completed(spec, size(spec.name()), List.of()),
          (own, fresh) -> SupervisionState.completed(spec, size(spec.name()), own));
    }
    for (String service : graph.startOrder()) {
      Facts was = before.get(service);
      if (was != null) {
        remember(service, was);
      }
    }
  }

  private void dropWhoHasLeft() {
    Set<String> gone = new HashSet<>();
    for (String service : leaving) {
      if (instances(service).stream().noneMatch(ServiceInstance::isThere)) {
        gone.add(service);
      }
    }
    if (!gone.isEmpty()) {
      gone.forEach(instances::remove);
      stopped.removeIf(id -> gone.contains(id.service()));
      scaled.keySet().removeAll(gone);
      leaving.removeAll(gone);
      removed.addAll(gone);
      List<ServiceSpec> rest = new ArrayList<>(graph.services().values());
      rest.removeIf(spec -> gone.contains(spec.name()));
      graph = ServiceGraph.of(rest);
    }
    instances.replaceAll((service, all) -> withoutSurplus(size(service), all));
  }

  private List<ServiceInstance> withoutSurplus(int most, List<ServiceInstance> all) {
    int size = all.size();
    while (size > most && !all.get(size - 1).isThere()) {
      size--;
      changed.add(all.get(size).id()); // one that ended earlier, and stood before others, too
    }
    return size == all.size() ? all : List.copyOf(all.subList(0, size));
  }
}
