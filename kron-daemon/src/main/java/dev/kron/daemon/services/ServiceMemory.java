package dev.kron.daemon.services;

import dev.kron.process.ProcessIdentity;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import dev.kron.store.DiskException;
import dev.kron.store.OwedAlert;
import dev.kron.store.PersistedProcessInstance;
import dev.kron.store.ProcessSpec;
import dev.kron.store.RunDirectories;
import dev.kron.store.ServicePast;
import dev.kron.store.StateManager;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The memory of services: what is kept on disk about them, beside their files. Used on the loop's
 * thread only.
 */
final class ServiceMemory {
  /** How a process ended last that was asked to end, whatever it made of that. */
  private static final String STOPPED = "stopped";

  private final StateManager manager;
  private final RandomGenerator random;
  private final String bootId;
  private final Map<String, String> bindings = new HashMap<>();
  private final Map<InstanceId, RunFacts> runs = new HashMap<>();
  private final Map<InstanceId, ServicePast> pasts = new HashMap<>();
  private final Map<InstanceId, List<OwedAlert>> alerts = new HashMap<>();

  ServiceMemory(StateManager manager, RandomGenerator random, String bootId) {
    this.manager = manager;
    this.random = random;
    this.bootId = bootId;
  }

  StateManager manager() {
    return manager;
  }

  /**
   * The facts that are kept beside the states of services; immutable.
   *
   * @param bindings profiles that operators gave to services
   * @param pasts restart counts and last exits of all instances
   * @param alerts what is owed for failures
   */
  public record Facts(
      Map<InstanceId, RunFacts> runs,
      Map<String, String> bindings,
      Map<InstanceId, ServicePast> pasts,
      Map<InstanceId, List<OwedAlert>> alerts) {
    static final Facts NONE = new Facts(Map.of(), Map.of(), Map.of(), Map.of());

    public Facts {
      runs = Map.copyOf(runs);
      bindings = Map.copyOf(bindings);
      pasts = Map.copyOf(pasts);
      alerts = Map.copyOf(alerts);
    }

    public @Nullable Integer keeperPid(InstanceId id) {
      RunFacts run = runs.get(id);
      ProcessIdentity keeper = run == null ? null : run.keeper();
      return keeper == null ? null : keeper.pid();
    }
  }

  Facts facts() {
    return new Facts(runs, bindings, pasts, alerts);
  }

  /** Goes back to these facts; all later ones are dropped. */
  void restore(Facts facts) {
    runs.clear();
    runs.putAll(facts.runs());
    bindings.clear();
    bindings.putAll(facts.bindings());
    pasts.clear();
    pasts.putAll(facts.pasts());
    alerts.clear();
    alerts.putAll(facts.alerts());
  }

  /** The alerts that are owed for the failures of an instance. */
  List<OwedAlert> alerts(InstanceId id) {
    return alerts.getOrDefault(id, List.of());
  }

  /** All instances for which alerts are owed. */
  Set<InstanceId> alerted() {
    return Set.copyOf(alerts.keySet());
  }

  void owe(InstanceId id, OwedAlert alert) {
    List<OwedAlert> all = new ArrayList<>(alerts(id));
    all.add(alert);
    alerts.put(id, List.copyOf(all));
  }

  /** An alert is not owed any more. */
  void settle(InstanceId id, String runId) {
    List<OwedAlert> rest =
        alerts(id).stream().filter(alert -> !alert.runId().equals(runId)).toList();
    if (rest.isEmpty()) {
      alerts.remove(id);
    } else {
      alerts.put(id, rest);
    }
  }

  @Nullable RunFacts find(InstanceId id) {
    return runs.get(id);
  }

  /** The keeper of a run that was seen to begin; null: it was not. */
  @Nullable ProcessIdentity keeper(InstanceId id, String runId) {
    RunFacts facts = runs.get(id);
    return facts != null && facts.runId().equals(runId) ? facts.keeper() : null;
  }

  /** Replaces the facts of an instance's run; returns the former ones. */
  @Nullable RunFacts put(InstanceId id, RunFacts facts) {
    return runs.put(id, facts);
  }

  /** Counts the restarts and ends of an instance; what was asked for is no restart of its own. */
  void happened(@Nullable ServiceInstance before, ServiceInstance after) {
    ServicePast past = pasts.getOrDefault(after.id(), ServicePast.NONE);
    long restart = after.lastRestartAt();
    boolean restarted =
        restart != ServiceInstance.NONE && (before == null || before.lastRestartAt() != restart);
    boolean asked = before != null && before.state() instanceof ServiceState.Stopping;
    if (restarted && !asked) {
      past = past.restarted(restart);
    }
    if (before != null && before.isThere() && !before.state().equals(after.state())) {
      if (after.state() instanceof ServiceState.Exited exited) {
        Integer code = exited.exitCode();
        String unknown = asked ? STOPPED : "exit code unknown";
        past = past.ended(code == null ? unknown : "exit code " + code, exited.exitedAt());
      } else if (after.state() instanceof ServiceState.Failed failed) {
        past = past.ended(failed.reason().text(), failed.failedAt());
      } else if (restarted && asked) {
        past = past.ended(STOPPED, restart);
      }
    }
    pasts.put(after.id(), past);
  }

  /** All instances that are known or written. */
  Set<InstanceId> all() {
    Set<InstanceId> all = new HashSet<>(runs.keySet());
    for (PersistedProcessInstance instance : manager.state().instances()) {
      ProcessSpec spec = manager.state().spec(instance.specId());
      if (spec != null) {
        all.add(new InstanceId(spec.name(), instance.instanceIndex()));
      }
    }
    return all;
  }

  /** Drops all services but these. */
  void forgetOthers(Set<String> services) {
    manager.state().specs().stream()
        .map(ProcessSpec::name)
        .filter(name -> !services.contains(name))
        .toList()
        .forEach(this::removeService);
  }

  void bind(String service, @Nullable String profile) {
    if (profile == null) {
      bindings.remove(service);
    } else {
      bindings.put(service, profile);
    }
  }

  /** The profile of credentials that a process of the service would get now. */
  @Nullable String profile(ServiceSpec spec) {
    String bound = bindings.get(spec.name());
    return bound == null ? spec.credentialProfile() : bound;
  }

  /** Marks for writing whatever differs from what is written. */
  void remember(
      SupervisionState supervised,
      Collection<InstanceId> changed,
      Collection<String> services,
      Moment now) {
    Set<String> specs = new HashSet<>(services);
    changed.forEach(id -> specs.add(id.service()));
    for (String service : specs) {
      ServiceSpec spec = supervised.graph().services().get(service);
      if (spec != null) {
        rememberSpec(supervised, spec);
      }
    }
    for (InstanceId id : changed) {
      ServiceInstance instance = supervised.instance(id);
      UUID spec = specId(id.service());
      if (spec == null) {
        continue;
      }
      if (instance == null) {
        forget(spec, id);
      } else {
        rememberInstance(spec, instance, now);
      }
    }
  }

  private @Nullable UUID specId(String service) {
    ProcessSpec spec = manager.state().spec(service);
    return spec == null ? null : spec.id();
  }

  private void rememberSpec(SupervisionState supervised, ServiceSpec spec) {
    ProcessSpec before = manager.state().spec(spec.name());
    UUID id = before == null ? newId() : before.id();
    ProcessSpec after =
        ServiceMapping.toDisk(id, spec, supervised.wanted(), bindings.get(spec.name()));
    after = supervised.isLeaving(spec.name()) ? after.withoutFile() : after;
    if (!after.equals(before)) {
      manager.mutableState().addSpec(after);
    }
  }

  private UUID newId() {
    long high = (random.nextLong() & ~0xF000L) | 0x4000L;
    long low = (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    return new UUID(high, low);
  }

  /** Whether nothing is remembered: a first start, or a file that is lost. */
  boolean isEmpty() {
    return manager.state().specs().isEmpty();
  }

  /**
   * Rebuilds the memory from the directories of runs if the file is lost; returns how many runs
   * were found.
   *
   * @param keepers those that live, by run
   */
  int rebuild(
      Collection<ServiceSpec> specs,
      RunDirectories directories,
      Map<String, ProcessIdentity> keepers)
      throws DiskException {
    return new ServiceRebuild(directories, keepers, bootId, this::newId)
        .into(manager.mutableState(), specs, manager.wishes());
  }

  private void forget(UUID spec, InstanceId id) {
    runs.remove(id);
    pasts.remove(id);
    alerts.remove(id);
    if (manager.state().instance(spec, id.index()) != null) {
      manager.mutableState().removeInstance(spec, id.index());
    }
  }

  private void rememberInstance(UUID spec, ServiceInstance instance, Moment now) {
    PersistedProcessInstance before = manager.state().instance(spec, instance.id().index());
    PersistedProcessInstance after = persisted(spec, instance, before, now);
    if (!after.equals(before)) {
      manager.mutableState().updateInstance(after);
    }
  }

  private PersistedProcessInstance persisted(
      UUID spec, ServiceInstance instance, @Nullable PersistedProcessInstance before, Moment now) {
    RunFacts run = runs.get(instance.id());
    if (instance.runId() != null && (run == null || !run.runId().equals(instance.runId()))) {
      throw new IllegalStateException("nothing is known of run " + instance.runId());
    }
    Integer pid = instance.state().pid();
    ProcessIdentity main = pid == null || run == null ? null : run.main();
    boolean watched = pid != null || instance.hook() != null;
    ProcessIdentity keeper = watched && run != null ? run.keeper() : null;
    return PersistedProcessInstance.builder(spec, instance.id().index())
        .state(ServiceMapping.toDisk(instance.state()))
        .pid(pid)
        .startedAt(run == null ? null : Instant.ofEpochMilli(run.startedAt()))
        .restartCount(instance.restartCount())
        .lastRestart(
            instance.lastRestartAt() == ServiceInstance.NONE
                ? null
                : Instant.ofEpochMilli(instance.lastRestartAt()))
        .credentialProfile(run == null ? null : run.profile())
        .runId(run == null ? null : run.runId())
        .bootId(bootId)
        .startTicks(main == null ? 0 : main.startTicks())
        .restartDelayMillis(instance.nextDelayMillis())
        .restartAt(restartAt(instance, before, now))
        .specFingerprint(run == null ? "" : run.fingerprint())
        .keeper(
            keeper == null
                ? null
                : new PersistedProcessInstance.Keeper(keeper.pid(), keeper.startTicks()))
        .past(pasts.getOrDefault(instance.id(), ServicePast.NONE))
        .toRestart(instance.toRestart())
        .hook(instance.hook())
        .reloadRun(instance.reloadRun())
        .alerts(alerts(instance.id()))
        .build();
  }

  /**
   * The wall-clock time of a planned restart. If nearly the same time was written before, that is
   * kept, but never an earlier one, or the next daemon would not wait long enough.
   */
  private static @Nullable Instant restartAt(
      ServiceInstance instance, @Nullable PersistedProcessInstance before, Moment now) {
    if (!instance.inBackoff()) {
      return null;
    }
    Instant written = before == null ? null : before.restartAt();
    long millis =
        instance.restartAt() == ServiceInstance.NONE
            ? now.epochMillis() + instance.restartDelayMillis()
            : now.epochMillis() + instance.restartAt() - now.bootMillis();
    long later = written == null ? -1 : written.toEpochMilli() - millis;
    return written != null && later >= 0 && later < 1_000 ? written : Instant.ofEpochMilli(millis);
  }

  /** Removes a service that is in no file any more and whose last process is gone. */
  void removeService(String service) {
    UUID spec = specId(service);
    bindings.remove(service);
    runs.keySet().removeIf(id -> id.service().equals(service));
    pasts.keySet().removeIf(id -> id.service().equals(service));
    alerts.keySet().removeIf(id -> id.service().equals(service));
    if (spec != null) {
      manager.mutableState().removeSpec(spec);
    }
  }
}
