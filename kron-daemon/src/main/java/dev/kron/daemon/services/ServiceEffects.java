package dev.kron.daemon.services;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.service.HealthCheck;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import dev.kron.service.TimeoutKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The performer of the effects that the machines ask for. Used on the loop's thread only; nothing
 * in it waits.
 */
final class ServiceEffects {
  private static final int MOST_PREPARED = 4;

  private final Clocks clocks;
  private final Timers timers;
  private final ServiceRuns runs;
  private final Prober prober;
  private final ServiceMemory memory;
  private final ServiceLog log;
  private final ServiceQueue queue;

  /** The instances that a signal to end is on its way to. */
  private final Set<InstanceId> unsent = new HashSet<>();

  private final Map<InstanceId, Stop> stops = new HashMap<>();

  /** The time that an instance has to end once its signal is sent. */
  private record Stop(ServiceEffect.WakeAt wake, long nanos) {}

  ServiceEffects(
      LoopTime time,
      ServiceRuns runs,
      Prober prober,
      ServiceMemory memory,
      ServiceLog log,
      ServiceQueue queue) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.runs = runs;
    this.prober = prober;
    this.memory = memory;
    this.log = log;
    this.queue = queue;
  }

  /**
   * Performs an effect whose state is durable; launches are performed before all others.
   *
   * @param lateMillis how long ago it was decided; a process that is told to end only now has its
   *     full time from its signal on
   */
  void perform(SupervisionState supervised, ServiceEffect effect, long lateMillis) {
    InstanceId id = effect.instance();
    switch (effect) {
      case ServiceEffect.Launch _ -> {} // performed before
      case ServiceEffect.Terminate terminate -> sends(id, runs.terminate(terminate.runId()));
      case ServiceEffect.Kill kill -> sends(id, runs.kill(kill.runId()));
      case ServiceEffect.WakeAt wake when wake.kind() == TimeoutKind.STOP ->
          stopBy(wake, (wake.bootMillis() + lateMillis) * 1_000_000L);
      case ServiceEffect.WakeAt wake -> wake(wake, wake.bootMillis() * 1_000_000L);
      case ServiceEffect.Listen listen -> runs.listen(listen.runId());
      case ServiceEffect.Probe probe -> probe(supervised, probe);
      case ServiceEffect.Log notice -> log.notice(id, notice.notice());
    }
  }

  private void sends(InstanceId id, boolean now) {
    if (now) {
      unsent.add(id);
    }
  }

  /** The time to end begins with the signal: the machine may sleep before that is sent. */
  private void stopBy(ServiceEffect.WakeAt wake, long dueNanos) {
    stops.put(wake.instance(), new Stop(wake, dueNanos - clocks.bootNanos()));
    if (!unsent.contains(wake.instance())) {
      wake(wake, dueNanos);
    }
  }

  /** A signal to end has been sent, or cannot be sent for now. */
  void signalled(InstanceId id, long atBootNanos) {
    unsent.remove(id);
    Stop stop = stops.remove(id);
    if (stop != null) {
      wake(stop.wake(), atBootNanos + stop.nanos());
    }
  }

  private void wake(ServiceEffect.WakeAt wake, long bootNanos) {
    String key = "service:" + wake.instance() + ":" + wake.kind();
    timers.set(key, bootNanos, () -> waited(wake));
  }

  /**
   * A wait is over. Who was asleep, or stopped, hears of the end of a start's time and of the
   * report that came before it in any order: what has come is looked at first.
   */
  private void waited(ServiceEffect.WakeAt wake) {
    RunFacts run = memory.find(wake.instance());
    if (wake.kind() == TimeoutKind.START && run != null) {
      runs.lookBefore(run.runId(), wake);
    } else {
      queue.timeOut(wake);
    }
  }

  /** Launches instances; this comes before the other effects, since people wait for it. */
  void launch(SupervisionState supervised, List<ServiceEffect.Launch> launches) {
    launches.forEach(launch -> runs.launch(order(supervised, launch)));
  }

  /** Finds out what became of a run. */
  void recover(InstanceId id, ServiceSpec spec, String runId) {
    runs.recover(id, spec, runId, memory.keeper(id, runId));
  }

  void kill(String runId) {
    runs.kill(runId);
  }

  /** Whether a run may have a process. */
  boolean mayBeThere(String runId) {
    return runs.isLeft(runId);
  }

  /** Removes the directory of a run that is not needed any more. */
  void drop(String runId) {
    runs.drop(runId);
  }

  /**
   * Prepares a few launches while their intents are being written; many would only slow each other
   * down.
   */
  void prepare(SupervisionState supervised, List<ServiceEffect.Launch> launches) {
    if (launches.size() <= MOST_PREPARED) {
      launches.forEach(launch -> runs.prepare(order(supervised, launch)));
    }
  }

  /** Drops prepared launches whose intents did not become durable. */
  void forgo(List<ServiceEffect.Launch> launches) {
    launches.forEach(launch -> runs.forgo(launch.runId()));
  }

  private LaunchOrder order(SupervisionState supervised, ServiceEffect.Launch launch) {
    InstanceId id = launch.instance();
    ServiceSpec spec = supervised.graph().services().get(id.service());
    ServiceInstance instance = supervised.instance(id);
    RunFacts run = memory.find(id);
    if (spec == null || instance == null || run == null) {
      throw new IllegalStateException("nothing is known of " + id);
    }
    return new LaunchOrder(
        id,
        spec,
        instance.restartCount(),
        RunFacts.intended(launch.runId(), run.startedAt(), run.profile()));
  }

  private void probe(SupervisionState supervised, ServiceEffect.Probe probe) {
    ServiceSpec spec = supervised.graph().services().get(probe.instance().service());
    HealthCheck check = spec == null ? null : spec.health();
    RunFacts run = memory.find(probe.instance());
    if (spec != null && check != null) {
      prober.ask(
          new Prober.Question(
              probe.instance(),
              spec,
              check,
              probe.runId(),
              probe.attempt(),
              run == null ? null : run.profile()));
    }
  }
}
