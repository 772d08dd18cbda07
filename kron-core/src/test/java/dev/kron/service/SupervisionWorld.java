package dev.kron.service;

import dev.kron.service.ServiceEffect.Kill;
import dev.kron.service.ServiceEffect.Launch;
import dev.kron.service.ServiceEffect.Probe;
import dev.kron.service.ServiceEffect.Terminate;
import dev.kron.service.ServiceEffect.WakeAt;
import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceEvent.ProcessExited;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.Timeout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Services with processes that only exist in a test, and a clock that it moves. */
final class SupervisionWorld {
  /** A process that was launched and has not ended. */
  record Child(InstanceId id, String runId) {}

  final List<String> log = new ArrayList<>();
  final Map<InstanceId, Child> processes = new LinkedHashMap<>();
  final Map<InstanceId, Probe> probes = new LinkedHashMap<>();
  private final TreeMap<Long, List<WakeAt>> timers = new TreeMap<>();
  boolean spawnsAtOnce = true;
  boolean passesAtOnce = true;
  boolean endsWhenAsked = true;
  boolean diesOfKill = true;
  SupervisionState supervised = SupervisionState.empty();

  /** The instances that the last step has changed. */
  Set<InstanceId> changed = Set.of();

  long now = 1_000_000;
  private int runs;

  SupervisionWorld(Specs... specs) {
    reload(specs);
  }

  void reload(Specs... specs) {
    happens(
        new SupervisionEvent.Reloaded(List.of(specs).stream().map(Specs::make).toList(), Set.of()));
  }

  /** A file is read whose service's processes would all be others. */
  void outdated(String service, Specs... specs) {
    Set<InstanceId> differing = new LinkedHashSet<>();
    supervised.instances(service).forEach(instance -> differing.add(instance.id()));
    happens(
        new SupervisionEvent.Reloaded(
            List.of(specs).stream().map(Specs::make).toList(), differing));
  }

  void start(String... services) {
    happens(new SupervisionEvent.StartRequested(List.of(services)));
  }

  void stop(String... services) {
    happens(new SupervisionEvent.StopRequested(List.of(services)));
  }

  void restart(String... services) {
    happens(new SupervisionEvent.RestartRequested(List.of(services)));
  }

  void happens(SupervisionEvent event) {
    SupervisionStep step =
        Supervision.step(supervised, event, new Moment(now, now), () -> "run" + ++runs);
    supervised = step.supervised();
    changed = step.changed();
    step.effects().forEach(this::perform);
  }

  void happens(InstanceId id, ServiceEvent event) {
    happens(new SupervisionEvent.Happened(id, event));
  }

  /** Another daemon, in the same boot, takes up what this one left. */
  void daemonComesBack() {
    Map<String, List<ServiceInstance>> instances = new LinkedHashMap<>();
    for (String service : supervised.graph().services().keySet()) {
      instances.put(service, supervised.instances(service));
    }
    timers.clear();
    supervised = SupervisionState.of(supervised.graph(), instances, supervised.wanted(), Set.of());
    happens(new SupervisionEvent.Recovered());
  }

  private void perform(ServiceEffect effect) {
    switch (effect) {
      case Launch launch -> launched(launch);
      case Terminate terminate -> {
        log.add("stop " + terminate.instance());
        if (endsWhenAsked) {
          exits(terminate.instance(), terminate.runId(), 0);
        }
      }
      case Kill kill -> {
        log.add("kill " + kill.instance());
        if (diesOfKill) {
          exits(kill.instance(), kill.runId(), 137);
        }
      }
      case WakeAt wake ->
          timers.computeIfAbsent(wake.bootMillis(), at -> new ArrayList<>()).add(wake);
      case ServiceEffect.Listen listen -> {} // nobody reports here
      case Probe probe -> {
        if (passesAtOnce) {
          happens(probe.instance(), new HealthCheckPassed(probe.runId()));
        } else {
          probes.put(probe.instance(), probe);
        }
      }
      case ServiceEffect.Alert alert -> log.add("alert " + alert.instance());
      case ServiceEffect.Log notice -> log.add(notice.instance() + " " + notice.notice());
    }
  }

  private void launched(Launch launch) {
    InstanceId id = launch.instance();
    if (launch.hook() != null) {
      log.add(launch.hook().text() + " " + id);
      happens(id, new ProcessSpawned(launch.runId(), 99, 0));
      happens(id, new ProcessExited(launch.runId(), 0, null)); // at once
      return;
    }
    Child before = processes.put(id, new Child(id, launch.runId()));
    if (before != null) {
      throw new AssertionError(id + " has two processes: " + before + " and " + launch);
    }
    log.add("start " + id);
    if (spawnsAtOnce) {
      spawned(id);
    }
  }

  void spawned(InstanceId id) {
    Child process = processes.get(id);
    if (process != null) {
      happens(id, new ProcessSpawned(process.runId(), 100 + runs, 0));
    }
  }

  /** A process ends, if it is there. */
  void exits(String service, int code) {
    InstanceId id = new InstanceId(service, 0);
    Child process = processes.get(id);
    if (process == null) {
      throw new AssertionError(id + " has no process");
    }
    exits(id, process.runId(), code);
  }

  void exits(InstanceId id, String runId, int code) {
    if (processes.remove(id, new Child(id, runId))) {
      happens(id, new ProcessExited(runId, code, null));
    }
  }

  /** Lets time pass, and everything happen that is due. */
  void passes(long millis) {
    long until = now + millis;
    for (Map.Entry<Long, List<WakeAt>> next = timers.firstEntry();
        next != null && next.getKey() <= until;
        next = timers.firstEntry()) {
      timers.remove(next.getKey());
      now = Math.max(now, next.getKey());
      next.getValue().forEach(wake -> happens(wake.instance(), new Timeout(wake.kind())));
    }
    now = until;
  }

  String state(String service) {
    return supervised.state(service).name();
  }

  @Nullable ServiceState stateOf(String service) {
    return supervised.state(service);
  }

  List<String> takeLog() {
    List<String> taken = List.copyOf(log);
    log.clear();
    return taken;
  }
}
