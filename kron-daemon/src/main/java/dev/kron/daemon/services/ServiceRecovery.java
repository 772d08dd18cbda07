package dev.kron.daemon.services;

import static dev.kron.service.ServiceInstance.NONE;

import dev.kron.process.ProcessIdentity;
import dev.kron.service.FailureReason;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import dev.kron.service.Wanted;
import dev.kron.store.OwedAlert;
import dev.kron.store.PersistedProcessInstance;
import dev.kron.store.PersistedState;
import dev.kron.store.ProcessSpec;
import dev.kron.store.ServicePast;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The services that a new daemon begins with, made from its files and the supervisor's file. What
 * became of their processes is found out afterwards, from the directories of their runs.
 */
final class ServiceRecovery {
  /**
   * @param supervised as remembered, after a reboot at rest; new ones with autostart are wanted up
   * @param toRecover runs whose processes may be there
   */
  record Found(
      SupervisionState supervised,
      Map<InstanceId, RunFacts> facts,
      Map<String, String> bindings,
      Map<InstanceId, ServicePast> pasts,
      Map<InstanceId, List<OwedAlert>> alerts,
      Map<InstanceId, String> toRecover) {

    /** The runs of reload commands that may be there. */
    List<String> reloads() {
      List<String> reloads = new ArrayList<>();
      for (InstanceId id : toRecover.keySet()) {
        ServiceInstance instance = supervised.instance(id);
        if (instance != null && instance.reloadRun() != null) {
          reloads.add(instance.reloadRun());
        }
      }
      return reloads;
    }
  }

  private final PersistedState remembered;
  private final String bootId;
  private final Moment now;
  private final Map<String, List<ServiceInstance>> instances = new HashMap<>();
  private final Map<InstanceId, RunFacts> facts = new HashMap<>();
  private final Map<String, String> bindings = new HashMap<>();
  private final Map<InstanceId, ServicePast> pasts = new HashMap<>();
  private final Map<InstanceId, List<OwedAlert>> alerts = new HashMap<>();
  private final Map<InstanceId, String> toRecover = new LinkedHashMap<>();
  private final Set<String> wanted = new HashSet<>();
  private final Set<InstanceId> stopped = new HashSet<>();
  private final Map<String, Integer> scaled = new HashMap<>();
  private final Set<String> leaving = new HashSet<>();

  ServiceRecovery(PersistedState remembered, String bootId, Moment now) {
    this.remembered = remembered;
    this.bootId = bootId;
    this.now = now;
  }

  Found find(Collection<ServiceSpec> specs) {
    Map<String, ServiceSpec> all = new LinkedHashMap<>();
    specs.forEach(spec -> all.put(spec.name(), spec));
    Map<String, List<PersistedProcessInstance>> byName = byName();
    for (ProcessSpec process : remembered.specs()) {
      String name = process.name();
      List<PersistedProcessInstance> own = byName.getOrDefault(name, List.of());
      if (!all.containsKey(name)) {
        if (own.stream().noneMatch(this::mayRun)) {
          continue; // in no file, and no process is left: the next write forgets it
        }
        all.put(name, ServiceMapping.withoutFile(process, own.size()));
        leaving.add(name);
      } else if (process.desired() == ProcessSpec.Desired.UP) {
        wanted.add(name);
      }
      if (process.credentialBinding() != null) {
        bindings.put(name, process.credentialBinding());
      }
      ServiceSpec spec = all.get(name);
      if (spec != null) {
        recallWishes(process, spec);
        Integer scaledTo = process.scaledTo();
        instances.put(
            name, instances(spec, own, scaledTo == null ? process.instances() : scaledTo));
      }
    }
    ServiceGraph graph = ServiceGraph.of(all.values());
    Set<String> before = Set.copyOf(wanted);
    wantNewOnes(graph, specs);
    wanted.stream().filter(name -> !before.contains(name)).forEach(this::beginAnew);
    SupervisionState supervised =
        SupervisionState.of(graph, instances, new Wanted(wanted, stopped, scaled), leaving);
    return new Found(supervised, facts, bindings, pasts, alerts, toRecover);
  }

  /**
   * Takes over the wishes for a service. The number of instances to which it was scaled counts only
   * while the number in its file is the same as then.
   */
  private void recallWishes(ProcessSpec process, ServiceSpec spec) {
    Integer count = process.scaledTo();
    if (count != null && process.instances() == spec.instances()) {
      scaled.put(spec.name(), count);
    }
    int size = scaled.getOrDefault(spec.name(), spec.instances());
    process.stoppedInstances().stream()
        .filter(index -> index < size)
        .forEach(index -> stopped.add(new InstanceId(spec.name(), index)));
  }

  /**
   * Marks new services as wanted up, with those that are started with them, and all that wanted
   * services require.
   */
  private void wantNewOnes(ServiceGraph graph, Collection<ServiceSpec> specs) {
    List<String> fresh =
        specs.stream()
            .filter(spec -> spec.autostart() && isNew(spec.name()))
            .map(ServiceSpec::name)
            .toList();
    wanted.addAll(graph.startedWith(fresh));
    Set<String> required = new HashSet<>();
    wanted.forEach(name -> required.addAll(graph.requiredOf(name)));
    wanted.addAll(required);
    wanted.removeAll(leaving);
  }

  /** Lets a service start that is wanted up only now, however it ended before. */
  private void beginAnew(String name) {
    instances.computeIfPresent(
        name, (service, all) -> all.stream().map(ServiceInstance::begunAnew).toList());
  }

  /** Whether a service was never seen, or was in no file when it was last seen. */
  private boolean isNew(String name) {
    ProcessSpec before = remembered.spec(name);
    return before == null || before.file().isEmpty();
  }

  private Map<String, List<PersistedProcessInstance>> byName() {
    Map<String, List<PersistedProcessInstance>> byName = new HashMap<>();
    for (PersistedProcessInstance instance : remembered.instances()) {
      ProcessSpec spec = remembered.spec(instance.specId());
      if (spec != null) {
        byName.computeIfAbsent(spec.name(), name -> new ArrayList<>()).add(instance);
      }
    }
    return byName;
  }

  private boolean mayRun(PersistedProcessInstance instance) {
    return instance.runId() != null && bootId.equals(instance.bootId());
  }

  /**
   * @param before how many it was to have; those beyond were on their way out, and begin anew where
   *     they are to be there again
   */
  private List<ServiceInstance> instances(
      ServiceSpec spec, List<PersistedProcessInstance> remembered, int before) {
    TreeMap<Integer, PersistedProcessInstance> byIndex = new TreeMap<>();
    remembered.forEach(instance -> byIndex.put(instance.instanceIndex(), instance));
    int size = scaled.getOrDefault(spec.name(), spec.instances());
    int count = Math.max(size, byIndex.isEmpty() ? 0 : byIndex.lastKey() + 1);
    List<ServiceInstance> all = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      InstanceId id = new InstanceId(spec.name(), index);
      PersistedProcessInstance own = byIndex.get(index);
      pasts.put(id, own == null ? ServicePast.NONE : own.past());
      ServiceInstance found =
          own == null ? ServiceInstance.inactive(id, spec) : instance(id, spec, own);
      all.add(index < before ? found : found.begunAnew());
    }
    return all;
  }

  private ServiceInstance instance(
      InstanceId id, ServiceSpec spec, PersistedProcessInstance remembered) {
    boolean wasTarget =
        remembered.state().isRunning() && remembered.runId() == null && !spec.isTarget();
    if (!bootId.equals(remembered.bootId()) || wasTarget) {
      return ServiceInstance.inactive(id, spec);
    }
    alerts.put(id, remembered.alerts());
    String runId = remembered.runId();
    if (runId != null) {
      long startedAt =
          remembered.startedAt() == null
              ? now.epochMillis()
              : remembered.startedAt().toEpochMilli();
      facts.put(
          id,
          new RunFacts(
              runId,
              startedAt,
              remembered.credentialProfile(),
              remembered.specFingerprint(),
              identity(remembered.pid(), remembered.startTicks()),
              keeper(remembered)));
    }
    ServiceState state = ServiceMapping.fromDisk(remembered);
    Hook hook = remembered.hook();
    // A target that was a service once is up without a process; the run that is noted is over.
    boolean isUpAsTarget =
        spec.isTarget() && state instanceof ServiceState.Running && state.pid() == null;
    boolean mayRun =
        runId != null && !isUpAsTarget && (state.isActive() || hook != null || mayLinger(state));
    if (mayRun) {
      toRecover.put(id, runId);
    }
    long rest = mayRun ? wait(remembered, spec) : rest(remembered, spec);
    return ServiceInstance.builder(id, state)
        .runId(mayRun ? runId : null)
        .restartCount(remembered.restartCount())
        .nextDelayMillis(spec.lifecycle().delayMillis(remembered.restartCount()))
        .restartDelayMillis(rest)
        .restartAt(rest == NONE || mayRun ? NONE : now.bootMillis() + rest)
        .lastRestartAt(
            remembered.lastRestart() == null ? NONE : remembered.lastRestart().toEpochMilli())
        .toRestart(mayRun && remembered.toRestart())
        .hook(mayRun ? hook : null)
        .reloadRun(mayRun ? remembered.reloadRun() : null)
        .build();
  }

  private @Nullable ProcessIdentity keeper(PersistedProcessInstance remembered) {
    PersistedProcessInstance.Keeper keeper = remembered.keeper();
    return keeper == null ? null : identity(keeper.pid(), keeper.startTicks());
  }

  private @Nullable ProcessIdentity identity(@Nullable Integer pid, long startTicks) {
    return pid == null ? null : new ProcessIdentity(pid, startTicks, bootId);
  }

  /**
   * Whether a process may be left. A service that failed while its process was there may still have
   * it; one that ended has none.
   */
  private static boolean mayLinger(ServiceState state) {
    return state instanceof ServiceState.Failed failed
        && switch (failed.reason()) {
          case FailureReason.StartTimeout _,
              FailureReason.StopTimeout _,
              FailureReason.HealthCheckFailed _ ->
              true;
          case FailureReason.ExitCode _,
              FailureReason.Signal _,
              FailureReason.SpawnError _,
              FailureReason.HookFailed _,
              FailureReason.DependencyFailed _ ->
              false;
        };
  }

  /**
   * The rest of a wait. The clock may have been set, so it is never longer than the policy's wait.
   */
  private long rest(PersistedProcessInstance remembered, ServiceSpec spec) {
    if (remembered.restartAt() == null) {
      return NONE;
    }
    long left = remembered.restartAt().toEpochMilli() - now.epochMillis();
    return Math.clamp(left, 0, spec.lifecycle().restartDelayMaxMillis());
  }

  /** The whole wait, for one that begins only when the process is gone. */
  private static long wait(PersistedProcessInstance remembered, ServiceSpec spec) {
    if (remembered.restartAt() == null) {
      return NONE;
    }
    int restarts = remembered.restartCount();
    return restarts == 0
        ? 0
        : spec.lifecycle().delayMillis(restarts - 1); // 0: somebody asked for it
  }
}
