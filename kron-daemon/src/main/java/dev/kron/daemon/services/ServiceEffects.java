package dev.kron.daemon.services;

import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.service.FailureReason;
import dev.kron.service.HealthCheck;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import dev.kron.service.TimeoutKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The performer of the effects that the machines ask for. Used on the loop's thread only; nothing
 * in it waits.
 */
final class ServiceEffects {
  private static final int MOST_PREPARED = 4;

  private final Timers timers;
  private final ServiceRuns runs;
  private final Prober prober;
  private final ServiceAlerts alerts;
  private final ServiceMemory memory;
  private final ServiceLog log;
  private final ServiceQueue queue;

  private final StopTimes stopTimes;

  ServiceEffects(
      LoopTime time,
      ServiceRuns runs,
      Prober prober,
      ServiceAlerts alerts,
      ServiceMemory memory,
      ServiceLog log,
      ServiceQueue queue) {
    this.timers = time.timers();
    this.runs = runs;
    this.prober = prober;
    this.alerts = alerts;
    this.memory = memory;
    this.log = log;
    this.queue = queue;
    this.stopTimes =
        new StopTimes(
            time.clocks(),
            (wake, bootNanos) ->
                time.timers().set(timer(wake), bootNanos, () -> queue.timeOut(wake)));
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
      case ServiceEffect.Terminate(InstanceId _, String runId) ->
          sends(id, runs.endOf(runId), runs.terminate(runId));
      case ServiceEffect.Kill(InstanceId _, String runId) ->
          sends(id, runs.endOf(runId), runs.kill(runId));
      case ServiceEffect.WakeAt wake when StopTimes.isStop(wake.kind()) ->
          stopTimes.stopBy(wake, (wake.bootMillis() + lateMillis) * 1_000_000L);
      case ServiceEffect.WakeAt wake -> wake(wake, wake.bootMillis() * 1_000_000L);
      case ServiceEffect.Listen listen -> runs.listen(listen.runId());
      case ServiceEffect.Probe probe -> probe(supervised, probe);
      case ServiceEffect.Alert _ -> alert(supervised, id);
      case ServiceEffect.Log(InstanceId of, ServiceEffect.Notice notice) -> {
        log.notice(of, notice);
        if (notice instanceof ServiceEffect.Notice.ReloadEnded ended) {
          runs.drop(ended.runId());
        }
      }
    }
  }

  /** Takes up what is owed for the failures of an instance. */
  void alert(SupervisionState supervised, InstanceId id) {
    ServiceSpec spec = supervised.graph().services().get(id.service());
    if (spec != null) {
      alerts.take(spec, id, memory.alerts(id));
    }
  }

  private void sends(InstanceId id, TimeoutKind kind, boolean now) {
    if (now) {
      stopTimes.sends(id, kind);
    }
  }

  /** A signal to end has been sent, or cannot be sent for now. */
  void signalled(InstanceId id, TimeoutKind kind, long atBootNanos) {
    stopTimes.signalled(id, kind, atBootNanos);
  }

  private void wake(ServiceEffect.WakeAt wake, long bootNanos) {
    timers.set(timer(wake), bootNanos, () -> waited(wake));
  }

  private static String timer(ServiceEffect.WakeAt wake) {
    return "service:" + wake.instance() + ":" + wake.kind();
  }

  /**
   * A wait is over. Who was asleep, or stopped, hears of the end of a start's time and of the
   * report that came before it in any order: what has come is looked at first.
   */
  private void waited(ServiceEffect.WakeAt wake) {
    RunFacts run = memory.find(wake.instance());
    if (wake.kind() == TimeoutKind.START && run != null) {
      runs.lookBefore(run.runId(), wake);
    } else if (wake.kind() == TimeoutKind.HOOK && run != null) {
      runs.unlessEnded(run.runId(), wake);
    } else {
      queue.timeOut(wake);
    }
  }

  /** Launches instances; this comes before the other effects, since people wait for it. */
  void launch(SupervisionState supervised, List<ServiceEffect.Launch> launches) {
    launches.forEach(launch -> runs.launch(order(supervised, launch)));
  }

  /** Finds out what became of a run. */
  void recover(ServiceStates.LiveRun run, ServiceSpec spec) {
    InstanceId id = run.instance();
    runs.recover(id, spec, run.hook(), run.runId(), memory.keeper(id, run.runId()));
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
    alerts.forget(runId);
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
        RunFacts.intended(launch.runId(), run.startedAt(), run.profile()),
        launch.hook(),
        told(launch.hook(), instance.state(), run));
  }

  /** What a hook is told of the process that it is about. */
  private static List<String> told(@Nullable Hook hook, ServiceState state, RunFacts run) {
    if (hook == Hook.RELOAD && run.main() != null) {
      int pid = run.main().pid();
      return List.of("MAINPID=" + pid, "KRON_PID=" + pid);
    }
    if (hook != Hook.AFTER_STOP) {
      return List.of();
    }
    return switch (state) {
      case ServiceState.Exited(Integer code, long _) -> ended(code, "");
      case ServiceState.Failed(FailureReason.ExitCode(int code), long _) ->
          ended(code, "exit code " + code);
      case ServiceState.Failed failed -> ended(null, failed.reason().text());
      case ServiceState.Inactive _,
          ServiceState.Blocked _,
          ServiceState.Starting _,
          ServiceState.Running _,
          ServiceState.Stopping _ ->
          List.of();
    };
  }

  private static List<String> ended(@Nullable Integer code, String reason) {
    return List.of("KRON_EXIT=" + (code == null ? "" : code), "KRON_REASON=" + reason);
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
