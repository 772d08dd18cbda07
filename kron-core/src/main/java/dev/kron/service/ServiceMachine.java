package dev.kron.service;

import dev.kron.service.FailureReason.DependencyFailed;
import dev.kron.service.ServiceEffect.Notice;
import dev.kron.service.ServiceEvent.ConflictEnded;
import dev.kron.service.ServiceEvent.DependencyLost;
import dev.kron.service.ServiceEvent.DependencySatisfied;
import dev.kron.service.ServiceEvent.HealthCheckFailed;
import dev.kron.service.ServiceEvent.HealthCheckNotAsked;
import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceEvent.NeverBegan;
import dev.kron.service.ServiceEvent.ProcessExited;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.ReadySignalled;
import dev.kron.service.ServiceEvent.Reconfigured;
import dev.kron.service.ServiceEvent.Recovered;
import dev.kron.service.ServiceEvent.ReloadRequested;
import dev.kron.service.ServiceEvent.SpawnFailed;
import dev.kron.service.ServiceEvent.StartRequested;
import dev.kron.service.ServiceEvent.StopRequested;
import dev.kron.service.ServiceEvent.Timeout;
import dev.kron.service.ServiceState.Exited;
import dev.kron.service.ServiceState.Failed;
import dev.kron.service.ServiceState.Inactive;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an event for one instance of a service. Pure: the same instance, context and event
 * give the same step (except for the ids of new runs), and nothing outside is touched.
 *
 * <pre>
 * inactive  StartRequested       → starting | blocked   Launch | waits
 * Recovered            → starting | blocked   where it is wanted up
 * blocked   DependencySatisfied  → starting             when it was the last
 * ConflictEnded        → starting             when it was the last
 * DependencyFailed     → failed
 * StopRequested        → inactive
 * starting  ProcessSpawned       → starting | running   running where nothing else tells
 * HealthCheckPassed    → running
 * ReadySignalled       → running
 * ProcessExited(0)     → exited               a oneshot's success
 * ProcessExited(n)     → failed
 * SpawnFailed          → failed
 * Timeout START        → failed | running     the process is ended; running where its signal may
 *                                             have been missed
 * StopRequested        → stopping
 * running   StopRequested        → stopping
 * ProcessExited(0)     → exited
 * ProcessExited(n)     → failed
 * HealthCheckFailed    → failed               after so many; the process is ended
 * DependencyLost       → blocked              a target only
 * DependencyFailed     → failed               a target only
 * stopping  Timeout STOP         → stopping | failed    KILL, and after another: StopTimeout
 * ProcessExited        → exited | starting    starting where it is wanted up: a restart
 * exited    StartRequested       → starting | blocked
 * Timeout RESTART_DELAY → starting | blocked
 * failed    StartRequested       → starting | blocked   once its process is gone
 * Timeout RESTART_DELAY → starting | blocked
 * DependencySatisfied  → starting | blocked   where that is why it failed
 * Reconfigured         → starting | blocked   the same, and it is not required any more
 * </pre>
 *
 * <p>{@code before_start} and {@code after_stop} are runs of the instance like its process: it is
 * starting while the first goes on, and exited or failed while the second does. A reload command
 * runs beside the process, whose end is told only after that of the command.
 *
 * <p>Two rules hold it together. Nothing is started while a run is not known to be gone, whatever
 * the state says; and the restart policy applies only to what ended by itself and is wanted up.
 * {@code docs/service-machine.md} is drawn from the tests and has every pair of state and event.
 *
 * <p>One file, though a long one: the table of transitions and what each of them does stand side by
 * side.
 */
public final class ServiceMachine {
  private ServiceMachine() {}

  public static InstanceStep step(
      ServiceInstance instance, ServiceContext around, ServiceEvent event) {
    var draft = new InstanceDraft(instance, around);
    switch (event) {
      case StartRequested() -> startRequested(draft);
      case StopRequested() -> stopRequested(draft);
      case ReloadRequested requested -> reloadRequested(draft, requested);
      case ProcessSpawned spawned -> processSpawned(draft, spawned);
      case SpawnFailed failed -> spawnFailed(draft, failed);
      case NeverBegan neverBegan -> neverBegan(draft, neverBegan);
      case ProcessExited exited -> processExited(draft, exited);
      case ReadySignalled signalled -> readySignalled(draft, signalled);
      case HealthCheckPassed passed -> healthCheckPassed(draft, passed);
      case HealthCheckFailed failed -> healthCheckFailed(draft, failed, around.spec().health());
      case HealthCheckNotAsked notAsked -> healthCheckNotAsked(draft, notAsked);
      case DependencySatisfied satisfied -> dependencySatisfied(draft);
      case ServiceEvent.DependencyFailed failed -> dependencyFailed(draft, around.spec(), failed);
      case DependencyLost lost -> dependencyLost(draft, around.spec());
      case ConflictEnded ended -> conflictEnded(draft);
      case Timeout timeout -> timeout(draft, timeout.kind());
      case Recovered() -> recovered(draft);
      case Reconfigured() -> reconfigured(draft);
    }
    return draft.toStep();
  }

  private static void startRequested(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case INACTIVE, EXITED, FAILED -> {
        draft.resetBackoff();
        draft.begin();
      }
      case BLOCKED, STARTING, RUNNING -> {} // on its way, or there
      case STOPPING -> {} // when it is gone it is started again, being wanted up
    }
  }

  private static void stopRequested(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case BLOCKED -> draft.state = new Inactive();
      case STARTING -> draft.stop();
      case RUNNING -> {
        if (draft.runId == null) { // a target; it may have been a service before
          draft.state = new Inactive();
          if (draft.wanted()) {
            draft.begin(); // a restart, or it has to wait for a rival
          }
        } else {
          draft.stop();
        }
      }
      case STOPPING -> draft.hurry();
      case EXITED, FAILED -> {
        draft.stayDown();
        draft.hurry();
      }
      case INACTIVE -> {} // at rest
    }
  }

  private static void reloadRequested(InstanceDraft draft, ReloadRequested requested) {
    switch (draft.state.kind()) {
      case RUNNING -> draft.reload(requested.runId());
      case INACTIVE, BLOCKED, STARTING, STOPPING, EXITED, FAILED -> {} // nothing to reload
    }
  }

  private static void processSpawned(InstanceDraft draft, ProcessSpawned spawned) {
    if (draft.isReload(spawned.runId())) {
      draft.reloadSpawned(spawned.ageMillis());
      return;
    }
    if (!draft.isOf(spawned.runId())) {
      return; // a late answer
    }
    if (draft.hook != null && draft.state.kind() != ServiceState.Kind.STOPPING) {
      hookSpawned(draft, spawned);
      return;
    }
    switch (draft.state.kind()) {
      case STARTING -> {
        draft.adopted |= spawned.found();
        draft.spawned(spawned.pid(), spawned.ageMillis());
      }
      case RUNNING -> draft.adopted(spawned.pid(), spawned.ageMillis());
      case STOPPING ->
          draft.state =
              new ServiceState.Stopping(
                  spawned.pid(), ((ServiceState.Stopping) draft.state).signalSentAt());
      case FAILED -> {} // it is being ended
      case INACTIVE, BLOCKED, EXITED -> {} // these have no run
    }
  }

  private static void hookSpawned(InstanceDraft draft, ProcessSpawned spawned) {
    switch (draft.state.kind()) {
      case STARTING -> draft.hookSpawned(spawned.pid(), spawned.ageMillis());
      case EXITED, FAILED -> {
        if (draft.hook == Hook.AFTER_STOP) {
          draft.hookSpawned(spawned.pid(), spawned.ageMillis());
        }
      }
      case INACTIVE, BLOCKED, RUNNING, STOPPING -> {} // these have no hook, or end it
    }
  }

  private static void spawnFailed(InstanceDraft draft, SpawnFailed failed) {
    if (draft.isReload(failed.runId())) {
      draft.reloadEnded(unstarted(failed));
      return;
    }
    if (!draft.isOf(failed.runId())) {
      return; // a late answer
    }
    switch (draft.state.kind()) {
      case STARTING, RUNNING -> {
        FailureReason reason =
            draft.hook == null
                ? new FailureReason.SpawnError(failed.message())
                : draft.hookFailed(unstarted(failed));
        draft.gone();
        draft.fail(reason);
      }
      case STOPPING -> stopped(draft, null);
      case EXITED, FAILED -> {
        if (draft.hook == Hook.AFTER_STOP) {
          afterStopEnded(draft, unstarted(failed));
        } else {
          goneAfterFailure(draft);
        }
      }
      case INACTIVE, BLOCKED -> {} // these have no run
    }
  }

  private static String unstarted(SpawnFailed failed) {
    return "it could not be started: " + failed.message();
  }

  private static void neverBegan(InstanceDraft draft, NeverBegan neverBegan) {
    if (draft.isReload(neverBegan.runId())) {
      draft.reloadEnded("it never began");
      return;
    }
    if (!draft.isOf(neverBegan.runId())) {
      return; // a late answer
    }
    switch (draft.state.kind()) {
      case STARTING, RUNNING -> {
        if (draft.wanted()) {
          draft.gone();
          draft.begin();
        } else {
          stopped(draft, null);
        }
      }
      case STOPPING -> stopped(draft, null);
      case EXITED, FAILED -> {
        if (draft.hook != Hook.AFTER_STOP) {
          goneAfterFailure(draft);
        } else if (!draft.beginAfterStop()) {
          afterStopEnded(draft, null); // there is none any more, or no time
        }
      }
      case INACTIVE, BLOCKED -> {} // these have no run
    }
  }

  private static void processExited(InstanceDraft draft, ProcessExited exited) {
    if (draft.isReload(exited.runId())) {
      draft.reloadEnded(problem(exited));
      return;
    }
    if (!draft.isOf(exited.runId())) {
      return; // told twice
    }
    if (draft.hook != null) {
      hookExited(draft, exited);
      return;
    }
    switch (draft.state.kind()) {
      case STARTING, RUNNING -> draft.ended(exited.exitCode(), exited.signal());
      case STOPPING -> {
        draft.gone();
        draft.beginAfterStop();
        draft.state = exited(draft, exited.signal() == null ? exited.exitCode() : null);
        draft.stopped();
      }
      case FAILED -> {
        if (!draft.beginAfterStop()) {
          goneAfterFailure(draft);
        }
      }
      case INACTIVE, BLOCKED, EXITED -> {} // these have no process
    }
  }

  private static void hookExited(InstanceDraft draft, ProcessExited exited) {
    switch (draft.state.kind()) {
      case STARTING -> {
        String problem = problem(exited);
        if (problem != null) {
          draft.gone();
          draft.fail(draft.hookFailed(problem));
        } else if (draft.wanted()) {
          draft.goOnStarting();
        } else {
          stopped(draft, null);
        }
      }
      case STOPPING -> stopped(draft, null);
      case EXITED, FAILED -> {
        if (draft.hook == Hook.AFTER_STOP) {
          afterStopEnded(draft, problem(exited));
        } else {
          goneAfterFailure(draft);
        }
      }
      case INACTIVE, BLOCKED, RUNNING -> {} // these have no hook
    }
  }

  /** The problem that the end of a hook reveals; null: it did what it should. */
  private static @Nullable String problem(ProcessExited exited) {
    Integer code = exited.exitCode();
    if (exited.signal() != null) {
      return "signal " + exited.signal();
    }
    return code == null ? "nobody knows how it ended" : code == 0 ? null : "exit code " + code;
  }

  /** Records that after_stop is over, so that the instance may be started again. */
  private static void afterStopEnded(InstanceDraft draft, @Nullable String problem) {
    if (problem != null) {
      draft.log(new Notice.HookFailed(Hook.AFTER_STOP, problem));
    }
    goneAfterFailure(draft);
  }

  private static Exited exited(InstanceDraft draft, @Nullable Integer exitCode) {
    return new Exited(exitCode, draft.epochMillis());
  }

  /** Records the end of a requested stop of something that leaves nothing to clean up. */
  private static void stopped(InstanceDraft draft, @Nullable Integer exitCode) {
    draft.gone();
    draft.state = exited(draft, exitCode);
    draft.stopped();
  }

  private static void goneAfterFailure(InstanceDraft draft) {
    boolean stopTimedOut =
        draft.state instanceof Failed failed
            && failed.reason() instanceof FailureReason.StopTimeout;
    if (stopTimedOut) {
      draft.gone();
      draft.stopped();
    } else {
      draft.goneAtLast();
    }
  }

  private static void readySignalled(InstanceDraft draft, ReadySignalled signalled) {
    if (!draft.isOf(signalled.runId())) {
      return; // a late answer
    }
    switch (draft.state.kind()) {
      case STARTING -> {
        if (draft.awaitsSignal()) {
          draft.ready(draft.state.pid());
          draft.probeLater();
        }
      }
      case RUNNING -> {} // it said so before
      case STOPPING, FAILED -> {} // being ended
      case INACTIVE, BLOCKED, EXITED -> {} // these have no run
    }
  }

  private static void healthCheckPassed(InstanceDraft draft, HealthCheckPassed passed) {
    if (!draft.isOf(passed.runId())) {
      return; // a late answer
    }
    switch (draft.state.kind()) {
      case STARTING -> {
        draft.ready(draft.state.pid());
        draft.probeLater();
      }
      case RUNNING -> {
        draft.failedProbes = 0;
        draft.probeLater();
      }
      case STOPPING, FAILED -> {} // being ended, well or not
      case INACTIVE, BLOCKED, EXITED -> {} // these have no run
    }
  }

  private static void healthCheckFailed(
      InstanceDraft draft, HealthCheckFailed failed, @Nullable HealthCheck health) {
    if (!draft.isOf(failed.runId())
        || health == null
        || failed.attempt() != draft.failedProbes + 1) {
      return; // a late answer, after another check has failed or passed; or nobody asks any more
    }
    switch (draft.state.kind()) {
      case STARTING -> {
        draft.probeLater(); // not ready yet; its start has a bound of its own
        draft.failedProbes = failed.attempt();
      }
      case RUNNING -> {
        draft.failedProbes = failed.attempt();
        if (draft.failedProbes >= health.retries()) {
          draft.fail(new FailureReason.HealthCheckFailed(draft.failedProbes));
        } else {
          draft.probeLater();
        }
      }
      case STOPPING, FAILED -> {} // being ended already
      case INACTIVE, BLOCKED, EXITED -> {} // these have no run
    }
  }

  private static void healthCheckNotAsked(InstanceDraft draft, HealthCheckNotAsked notAsked) {
    if (!draft.isOf(notAsked.runId())) {
      return; // a late answer
    }
    switch (draft.state.kind()) {
      case STARTING, RUNNING -> draft.probeLater();
      case STOPPING, FAILED -> {} // being ended, well or not
      case INACTIVE, BLOCKED, EXITED -> {} // these have no run
    }
  }

  private static void dependencySatisfied(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case BLOCKED -> draft.begin();
      case FAILED -> {
        if (draft.wanted() && failedByDependency(draft)) {
          draft.begin();
        }
      }
      case STARTING, RUNNING, STOPPING -> {} // was let through before
      case INACTIVE, EXITED -> {} // waits for nobody
    }
  }

  /**
   * Starts an instance that failed because of a requirement, if none of its present requirements
   * has failed.
   */
  private static void beginIfFree(InstanceDraft draft) {
    if (draft.wanted() && failedByDependency(draft) && !draft.isHeldUp()) {
      draft.begin();
    }
  }

  private static boolean failedByDependency(InstanceDraft draft) {
    return draft.state instanceof Failed failed && failed.reason() instanceof DependencyFailed;
  }

  private static void dependencyFailed(
      InstanceDraft draft, ServiceSpec spec, ServiceEvent.DependencyFailed failed) {
    switch (draft.state.kind()) {
      case BLOCKED -> failedBy(draft, failed);
      case RUNNING -> {
        if (spec.isTarget() && draft.runId == null) {
          failedBy(draft, failed);
        }
      }
      case STARTING, STOPPING -> {} // who has begun goes on
      case INACTIVE, EXITED, FAILED -> {} // waits for nobody
    }
  }

  private static void failedBy(InstanceDraft draft, ServiceEvent.DependencyFailed failed) {
    draft.state = new Failed(new DependencyFailed(failed.service()), draft.epochMillis());
  }

  private static void dependencyLost(InstanceDraft draft, ServiceSpec spec) {
    switch (draft.state.kind()) {
      case BLOCKED -> draft.begin(); // says anew what it waits for
      case RUNNING -> {
        if (spec.isTarget() && draft.runId == null) {
          draft.begin();
        }
      }
      case STARTING, STOPPING -> {} // who has begun goes on
      case INACTIVE, EXITED, FAILED -> {} // waits for nobody
    }
  }

  private static void conflictEnded(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case BLOCKED -> draft.begin();
      case STARTING, RUNNING, STOPPING -> {} // was let through before
      case INACTIVE, EXITED, FAILED -> {} // waits for nobody
    }
  }

  private static void timeout(InstanceDraft draft, TimeoutKind kind) {
    switch (kind) {
      case START -> startTimeout(draft);
      case STOP -> stopTimeout(draft);
      case HOOK -> hookTimeout(draft);
      case RELOAD -> draft.endReload(false);
      case RELOAD_STOP -> draft.endReload(true);
      case HEALTH_CHECK -> {
        if (draft.isDue(draft.probeAt)) {
          draft.probeNow();
        }
      }
      case RESTART_DELAY -> {
        if (draft.wanted() && draft.isDue(draft.restartAt)) {
          draft.restart();
        }
      }
      case UPTIME -> {
        if (draft.isDue(draft.uptimeAt)) {
          draft.resetBackoff();
        }
      }
      case STABLE -> {
        if (draft.isDue(draft.stableAt)) {
          draft.stableAt = ServiceInstance.NONE;
        }
      }
    }
  }

  private static void startTimeout(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case STARTING -> {
        if (draft.hook != null) {
          return; // an older wait
        }
        if (draft.isDue(draft.stepUntil) && draft.mayHaveSignalled()) {
          draft.ready(draft.state.pid());
          draft.probeLater();
        } else if (draft.isDue(draft.stepUntil)) {
          draft.fail(new FailureReason.StartTimeout());
        }
      }
      case INACTIVE, BLOCKED, RUNNING, STOPPING, EXITED, FAILED -> {} // no start is under way
    }
  }

  private static void hookTimeout(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case STARTING, EXITED, FAILED -> {
        if (draft.isDue(draft.stepUntil)) {
          draft.hookTimedOut();
        }
      }
      case INACTIVE, BLOCKED, RUNNING, STOPPING -> {} // no hook has its time
    }
  }

  private static void stopTimeout(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case STOPPING -> {
        if (draft.isDue(draft.stepUntil) && draft.killed) {
          draft.state = new Failed(new FailureReason.StopTimeout(), draft.epochMillis());
          draft.log(new Notice.Unendable());
          draft.kill();
        } else if (draft.isDue(draft.stepUntil)) {
          draft.kill();
        }
      }
      case EXITED, FAILED -> {
        if (draft.isDue(draft.stepUntil)) {
          draft.kill(); // for as long as it takes
        }
      }
      case INACTIVE, BLOCKED, STARTING, RUNNING -> {} // nothing is being ended
    }
  }

  private static void recovered(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case BLOCKED -> draft.begin();
      case STARTING, RUNNING, STOPPING -> draft.rearm();
      case EXITED, FAILED -> {
        if (draft.wanted() && draft.isDue(draft.restartAt)) {
          draft.restart(); // in its turn, so that those who need it wait for it
        } else {
          draft.rearm();
          beginIfFree(draft); // its file may have changed while no daemon was there
        }
      }
      case INACTIVE -> {
        if (draft.wanted()) {
          draft.begin();
        }
      }
    }
  }

  private static void reconfigured(InstanceDraft draft) {
    switch (draft.state.kind()) {
      case BLOCKED -> draft.begin(); // it may wait for others now
      case STARTING, RUNNING -> draft.reconfigured();
      case FAILED -> beginIfFree(draft); // it may require others now
      case INACTIVE, STOPPING, EXITED -> {} // counts from the next start on
    }
  }
}
