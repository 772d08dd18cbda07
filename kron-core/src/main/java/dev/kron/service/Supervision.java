package dev.kron.service;

import dev.kron.service.SupervisionEvent.Halted;
import dev.kron.service.SupervisionEvent.Happened;
import dev.kron.service.SupervisionEvent.InstanceRequested;
import dev.kron.service.SupervisionEvent.Recovered;
import dev.kron.service.SupervisionEvent.Reloaded;
import dev.kron.service.SupervisionEvent.RestartRequested;
import dev.kron.service.SupervisionEvent.ScaleRequested;
import dev.kron.service.SupervisionEvent.StartRequested;
import dev.kron.service.SupervisionEvent.StopRequested;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The meaning of an event for all services together. Pure, except for the ids of new runs.
 *
 * <p>All consequences of an event are worked out along the graph before anything is done. So no
 * effect begins that a consequence of the same event takes back, and one write makes all of it
 * durable.
 */
public final class Supervision {
  private Supervision() {}

  /**
   * The step that an event leads to.
   *
   * @param runIds gives ids for new runs
   */
  public static SupervisionStep step(
      SupervisionState supervised, SupervisionEvent event, Moment now, Supplier<String> runIds) {
    var draft = new SupervisionDraft(supervised, now, runIds);
    switch (event) {
      case StartRequested request -> start(draft, request.services());
      case StopRequested request -> stop(draft, request.services());
      case RestartRequested request -> restart(draft, request.services());
      case ScaleRequested(String service, int instances) -> scale(draft, service, instances);
      case InstanceRequested(InstanceId id, InstanceRequested.Act act) -> request(draft, id, act);
      case Happened happened -> draft.send(happened.instance(), happened.event());
      case Reloaded reloaded -> reload(draft, supervised, reloaded);
      case Recovered() -> {
        for (String service : draft.graph().startOrder()) {
          draft.sendAll(service, new ServiceEvent.Recovered());
        }
        draft.propagate();
        draft.graph().stopOrder().forEach(draft::stopIfUnwanted);
        enforceConflicts(draft);
      }
      case Halted(long until) -> {
        draft.halt(until);
        draft.graph().stopOrder().forEach(draft::stopIfUnwanted);
      }
    }
    return draft.toStep();
  }

  private static void start(SupervisionDraft draft, Collection<String> services) {
    services.forEach(draft::wantAllAlike);
    bringUp(draft, services, instance -> true);
  }

  /**
   * @param meant of the services that are named, these instances only
   */
  private static void bringUp(
      SupervisionDraft draft, Collection<String> services, Predicate<InstanceId> meant) {
    List<String> order = draft.graph().startedWith(services);
    order.forEach(service -> draft.want(service, true));
    Set<String> named = Set.copyOf(services);
    for (String service : order) {
      boolean along = !named.contains(service);
      boolean repeats = draft.spec(service).lifecycle().restart() == Lifecycle.Restart.ALWAYS;
      if (along && draft.isSatisfied(service) && !repeats) {
        continue; // a oneshot that is done stays so, but where it is run again and again
      }
      for (ServiceInstance instance : draft.instances(service)) {
        boolean begin =
            instance.state().canAttemptStart()
                && (along ? !instance.inBackoff() : meant.test(instance.id()));
        if (begin && (draft.isWanted(instance.id()) || draft.comesBack(instance.id()))) {
          draft.send(instance.id(), new ServiceEvent.StartRequested());
        }
      }
      draft.propagate();
    }
  }

  private static void stop(SupervisionDraft draft, Collection<String> services) {
    List<String> order = draft.graph().stoppedWith(services);
    order.forEach(service -> draft.want(service, false));
    order.forEach(draft::wantAllAlike);
    order.forEach(draft::stopIfUnwanted);
  }

  /** One instance is to be started, stopped or restarted, and the others go on as they are. */
  private static void request(SupervisionDraft draft, InstanceId id, InstanceRequested.Act act) {
    ServiceInstance instance = draft.instance(id);
    if (instance == null) {
      return; // no more since it was asked for
    }
    String service = id.service();
    switch (act) {
      case STOP -> {
        if (draft.isWanted(service)) {
          draft.stopByItself(id, true);
        }
        draft.stopIfUnwanted(service);
      }
      case START -> startAlone(draft, id);
      case RESTART -> {
        startAlone(draft, id);
        if (instance.state().isActive()) {
          draft.send(id, new ServiceEvent.StopRequested());
        }
      }
    }
  }

  /** With what its service requires, and without the other instances where that is down. */
  private static void startAlone(SupervisionDraft draft, InstanceId id) {
    if (!draft.isWanted(id.service())) {
      draft.instances(id.service()).forEach(other -> draft.stopByItself(other.id(), true));
    }
    draft.stopByItself(id, false);
    bringUp(draft, List.of(id.service()), id::equals);
  }

  /** More instances are started where the service is wanted up, those that are too many stopped. */
  private static void scale(SupervisionDraft draft, String service, int instances) {
    int had = draft.size(service);
    draft.scale(service, instances);
    draft.stopIfUnwanted(service);
    startNewInstances(draft, service, had);
  }

  private static void restart(SupervisionDraft draft, Collection<String> services) {
    List<InstanceId> running = new ArrayList<>();
    for (String service : services) {
      draft.instances(service).stream()
          .filter(instance -> instance.state().isActive())
          .forEach(instance -> running.add(instance.id()));
    }
    start(draft, services);
    running.forEach(id -> draft.send(id, new ServiceEvent.StopRequested()));
  }

  private static void reload(SupervisionDraft draft, SupervisionState before, Reloaded reloaded) {
    Map<String, ServiceSpec> old = before.graph().services();
    Set<String> toStart = new HashSet<>();
    List<ServiceSpec> changed = new ArrayList<>();
    for (ServiceSpec spec : reloaded.specs()) {
      ServiceSpec was = old.get(spec.name());
      if (was == null || before.isLeaving(spec.name())) {
        if (spec.autostart()) {
          toStart.add(spec.name());
        }
      } else if (!was.equals(spec)) {
        changed.add(spec);
        if (before.isWanted(spec.name())) {
          toStart.addAll(newlyNeeded(was, spec));
        }
      }
    }
    draft.replaceSpecs(List.copyOf(reloaded.specs()));
    draft.graph().stopOrder().forEach(draft::stopIfUnwanted);
    draft.propagate();
    start(draft, toStart);
    for (ServiceSpec spec : changed) {
      startNewInstances(draft, spec.name(), before.size(spec.name()));
      draft.sendAll(spec.name(), new ServiceEvent.Reconfigured());
    }
    endConflicts(draft, before);
    restartDiffering(draft, before, reloaded.differing());
    enforceConflicts(draft);
  }

  /**
   * Stops the services that have to give way to a conflicting one; they stay wanted up and wait for
   * it to end.
   */
  private static void enforceConflicts(SupervisionDraft draft) {
    draft.propagate();
    for (String service :
        Conflicts.toStop(draft.graph(), draft::instances, draft::isWanted).keySet()) {
      for (ServiceInstance instance : draft.instances(service)) {
        if (instance.state().isActive()) {
          draft.send(instance.id(), new ServiceEvent.StopRequested());
        }
      }
    }
  }

  /**
   * Tells both services that a conflict is gone. It stands in the file of only one of them, so the
   * other's file may be unchanged.
   */
  private static void endConflicts(SupervisionDraft draft, SupervisionState before) {
    for (String service : draft.graph().startOrder()) {
      if (before.graph().services().containsKey(service)) {
        for (String other : before.graph().conflicts(service)) {
          if (!draft.graph().conflicts(service).contains(other)) {
            draft.sendAll(service, new ServiceEvent.ConflictEnded(other));
          }
        }
      }
    }
  }

  private static Set<String> newlyNeeded(ServiceSpec was, ServiceSpec spec) {
    Set<String> names = new HashSet<>(spec.dependencies().wants());
    names.removeAll(was.dependencies().wants());
    names.addAll(spec.dependencies().requires()); // also what it only wanted before
    names.removeAll(was.dependencies().requires());
    return names;
  }

  /**
   * Starts the instances beyond those that it was to have; one that is there already was on its way
   * out.
   */
  private static void startNewInstances(SupervisionDraft draft, String service, int had) {
    for (int i = had; i < draft.size(service); i++) {
      InstanceId id = new InstanceId(service, i);
      if (draft.isWanted(id)) {
        draft.send(id, new ServiceEvent.StartRequested());
      }
    }
  }

  /**
   * Those that run get new processes one after the other, each when the one before it is up; those
   * that are not up get one at once, and those that have failed a new beginning.
   */
  private static void restartDiffering(
      SupervisionDraft draft, SupervisionState before, Set<InstanceId> differing) {
    for (String service : draft.graph().startOrder()) {
      for (ServiceInstance instance : before.instances(service)) {
        InstanceId id = instance.id();
        if (draft.isWanted(id)) {
          restart(draft, instance, differing.contains(id));
        }
      }
    }
  }

  private static void restart(SupervisionDraft draft, ServiceInstance instance, boolean differs) {
    InstanceId id = instance.id();
    switch (instance.state().kind()) {
      case RUNNING -> draft.restartInTurn(id, differs && instance.runId() != null);
      case STARTING -> {
        if (differs) {
          draft.send(id, new ServiceEvent.StopRequested());
        }
      }
      case FAILED -> {
        if (differs) {
          draft.send(id, new ServiceEvent.StartRequested());
        }
      }
      case INACTIVE, BLOCKED, STOPPING, EXITED -> {} // the next process will be the new one
    }
  }
}
