package dev.kron.daemon.services;

import dev.kron.daemon.services.ServiceQueue.Pending;
import dev.kron.service.Failure;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.Supervision;
import dev.kron.service.SupervisionEvent;
import dev.kron.service.SupervisionState;
import dev.kron.service.SupervisionStep;
import dev.kron.store.OwedAlert;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The turns of the supervisor: all waiting events are decided together. Used on the loop's thread
 * only.
 */
final class ServiceTurns {
  private final ServiceStates states;
  private final ServiceQueue queue;
  private final Supplier<String> runIds;
  private final Predicate<ServiceSpec> alerted;
  private final List<String> surplusRuns = new ArrayList<>();

  /** One instance before and after something happened. */
  record Change(@Nullable ServiceInstance before, @Nullable ServiceInstance after) {}

  /** A turn on its way to the disk, with the effects that may begin once it is durable. */
  record Turn(
      Moment decided,
      SupervisionState after,
      ServiceMemory.Facts facts,
      List<Change> changes,
      List<ServiceEffect> effects,
      List<Pending> events) {

    List<ServiceEffect.Launch> launches() {
      return effects.stream()
          .filter(ServiceEffect.Launch.class::isInstance)
          .map(ServiceEffect.Launch.class::cast)
          .toList();
    }
  }

  /**
   * @param alerted whether somebody is told when the service has failed
   */
  ServiceTurns(
      ServiceStates states,
      ServiceQueue queue,
      Supplier<String> runIds,
      Predicate<ServiceSpec> alerted) {
    this.states = states;
    this.queue = queue;
    this.runIds = runIds;
    this.alerted = alerted;
  }

  /** Decides all waiting events, and marks the result for writing. */
  Turn next() {
    Moment now = states.now();
    ServiceMemory memory = states.memory();
    SupervisionState supervised = states.decided();
    Set<InstanceId> changed = new LinkedHashSet<>();
    Set<String> services = queue.takeRebound();
    Set<String> removed = new LinkedHashSet<>();
    List<Change> changes = new ArrayList<>();
    List<ServiceEffect> effects = new ArrayList<>();
    List<Pending> events = new ArrayList<>();
    for (ServiceQueue.Settled settled : queue.takeSettled()) {
      memory.settle(settled.instance(), settled.runId());
      surplusRuns.add(settled.runId());
      changed.add(settled.instance());
    }
    for (Pending pending = queue.poll(); pending != null; pending = queue.pollWithin()) {
      SupervisionStep step = Supervision.step(supervised, pending.event(), now, runIds);
      changes(supervised, step, changes);
      count(supervised, step);
      removals(supervised, step, pending.event() instanceof SupervisionEvent.Reloaded, changes);
      supervised = step.supervised();
      changed.addAll(step.changed());
      services.addAll(step.wanted());
      removed.addAll(step.removed());
      if (pending.event() instanceof SupervisionEvent.Reloaded) {
        services.addAll(supervised.graph().services().keySet());
        changed.addAll(memory.all()); // also of removed ones
      }
      gather(step.effects(), effects, now);
      events.add(pending);
    }
    states.decide(supervised);
    intend(effects, now);
    owe(effects);
    memory.remember(supervised, changed, services, now);
    removed.forEach(memory::removeService);
    return new Turn(now, supervised, memory.facts(), changes, effects, events);
  }

  private static void changes(SupervisionState before, SupervisionStep step, List<Change> changes) {
    for (InstanceId id : step.changed()) {
      changes.add(new Change(before.instance(id), step.supervised().instance(id)));
    }
  }

  private void count(SupervisionState before, SupervisionStep step) {
    for (InstanceId id : step.changed()) {
      ServiceInstance after = step.supervised().instance(id);
      if (after != null) {
        states.memory().happened(before.instance(id), after);
      }
    }
  }

  /** Removed services are reported even if they had already ended. */
  private static void removals(
      SupervisionState before, SupervisionStep step, boolean reloaded, List<Change> changes) {
    Set<String> services = reloaded ? before.graph().services().keySet() : step.removed();
    for (String service : services) {
      for (ServiceInstance instance : before.instances(service)) {
        if (step.supervised().instance(instance.id()) == null
            && !step.changed().contains(instance.id())) {
          changes.add(new Change(instance, null));
        }
      }
    }
  }

  /**
   * Adds effects to those of the turn. A wait that is over already becomes an event of this turn,
   * so that it does not need a second write.
   */
  private void gather(List<ServiceEffect> from, List<ServiceEffect> effects, Moment now) {
    for (ServiceEffect effect : from) {
      if (effect instanceof ServiceEffect.WakeAt wake && wake.bootMillis() <= now.bootMillis()) {
        queue.timeOut(wake);
      } else {
        effects.add(effect);
      }
    }
  }

  /** Notes the run of each launch; the run before it is not needed any more. */
  private void intend(List<ServiceEffect> effects, Moment now) {
    for (ServiceEffect effect : effects) {
      if (effect instanceof ServiceEffect.Launch launch && launch.hook() != Hook.RELOAD) {
        ServiceSpec spec = states.decided().graph().services().get(launch.instance().service());
        String profile = spec == null ? null : states.memory().profile(spec);
        RunFacts before = states.memory().find(launch.instance());
        long startedAt =
            launch.hook() == Hook.AFTER_STOP && before != null
                ? before.startedAt() // of the process
                : now.epochMillis();
        RunFacts old =
            states
                .memory()
                .put(launch.instance(), RunFacts.intended(launch.runId(), startedAt, profile));
        if (old != null) {
          surplusRuns.add(old.runId());
        }
      }
    }
  }

  /** Notes what is owed for failures, in the same write as those. */
  private void owe(List<ServiceEffect> effects) {
    for (ServiceEffect effect : effects) {
      if (effect instanceof ServiceEffect.Alert(InstanceId id, Failure failure)) {
        ServiceSpec spec = states.decided().graph().services().get(id.service());
        if (spec != null && alerted.test(spec)) {
          states.memory().owe(id, new OwedAlert(runIds.get(), failure));
        }
      }
    }
  }

  /** The runs that are not needed any more once the turns so far are durable. */
  List<String> takeSurplusRuns() {
    List<String> surplus = List.copyOf(surplusRuns);
    surplusRuns.clear();
    return surplus;
  }
}
