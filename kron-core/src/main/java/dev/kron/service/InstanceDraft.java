package dev.kron.service;

import static dev.kron.service.ServiceInstance.NONE;

import dev.kron.service.FailureReason.DependencyFailed;
import dev.kron.service.ServiceEffect.Alert;
import dev.kron.service.ServiceEffect.Kill;
import dev.kron.service.ServiceEffect.Launch;
import dev.kron.service.ServiceEffect.Listen;
import dev.kron.service.ServiceEffect.Log;
import dev.kron.service.ServiceEffect.Notice;
import dev.kron.service.ServiceEffect.Probe;
import dev.kron.service.ServiceEffect.Terminate;
import dev.kron.service.ServiceEffect.WakeAt;
import dev.kron.service.ServiceState.Blocked;
import dev.kron.service.ServiceState.Exited;
import dev.kron.service.ServiceState.Failed;
import dev.kron.service.ServiceState.Running;
import dev.kron.service.ServiceState.Starting;
import dev.kron.service.ServiceState.Stopping;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The next state of an instance while a step works it out, and the moves that transitions consist
 * of. One file, though a long one: the moves change one set of fields, and the table of transitions
 * names them.
 */
final class InstanceDraft {
  /** The interval of checks while the service starts, if its configured interval is longer. */
  private static final long FIRST_PROBE_AGAIN_MILLIS = 100;

  private final ServiceInstance before;
  private final ServiceContext around;
  private final ServiceSpec spec;
  private final Lifecycle lifecycle;
  private final long now;
  private final List<ServiceEffect> effects = new ArrayList<>(4);

  ServiceState state;
  @Nullable String runId;
  int restartCount;
  long nextDelayMillis;
  long restartDelayMillis;
  long restartAt;
  long lastRestartAt;
  long stepUntil;
  boolean killed;
  long probeAt;
  int failedProbes;
  long uptimeAt;
  long stableAt;
  private boolean toRestart;
  boolean adopted;
  @Nullable Hook hook;
  private @Nullable String reloadRun;
  private long reloadUntil;

  InstanceDraft(ServiceInstance before, ServiceContext around) {
    this.before = before;
    this.around = around;
    this.spec = around.spec();
    this.lifecycle = spec.lifecycle();
    this.now = around.now().bootMillis();
    state = before.state();
    runId = before.runId();
    restartCount = before.restartCount();
    nextDelayMillis = before.nextDelayMillis();
    restartDelayMillis = before.restartDelayMillis();
    restartAt = before.restartAt();
    lastRestartAt = before.lastRestartAt();
    stepUntil = before.stepUntil();
    killed = before.killed();
    probeAt = before.probeAt();
    failedProbes = before.failedProbes();
    uptimeAt = before.uptimeAt();
    stableAt = before.stableAt();
    toRestart = before.toRestart();
    adopted = before.adopted();
    hook = before.hook();
    reloadRun = before.reloadRun();
    reloadUntil = before.reloadUntil();
  }

  InstanceStep toStep() {
    ServiceInstance after = after();
    if (wanted() && !spec.isTarget() && hasFailed(after) && !hasFailed(before)) {
      effects.add(new Alert(before.id(), failure()));
    }
    return new InstanceStep(after, effects, !after.equals(before));
  }

  private ServiceInstance after() {
    return ServiceInstance.builder(before.id(), state)
        .runId(runId)
        .restartCount(restartCount)
        .nextDelayMillis(nextDelayMillis)
        .restartDelayMillis(restartDelayMillis)
        .restartAt(restartAt)
        .lastRestartAt(lastRestartAt)
        .stepUntil(stepUntil)
        .killed(killed)
        .probeAt(probeAt)
        .failedProbes(failedProbes)
        .uptimeAt(uptimeAt)
        .stableAt(stableAt)
        .toRestart(toRestart)
        .adopted(adopted)
        .hook(hook)
        .reloadRun(reloadRun)
        .reloadUntil(reloadUntil)
        .build();
  }

  /**
   * Whether an instance has failed for good: nothing of it is left, or it cannot be ended, and only
   * a request starts it again.
   */
  private boolean hasFailed(ServiceInstance instance) {
    boolean unendable =
        instance.state() instanceof Failed failed
            && failed.reason() instanceof FailureReason.StopTimeout;
    if (!instance.isOver() || (instance.runId() != null && !unendable)) {
      return false;
    }
    return instance.state() instanceof Failed
        || (instance.state() instanceof Exited exited
            && gaveUpAfter(exited, instance.restartCount()));
  }

  /** Whether an end that is a success was one too many: it is always restarted, so often. */
  private boolean gaveUpAfter(Exited exited, int restarts) {
    Integer code = exited.exitCode();
    return lifecycle.restart() == Lifecycle.Restart.ALWAYS
        && hasUsedUp(restarts)
        && (code == null || !lifecycle.exitCodes().noRestart().contains(code));
  }

  private boolean hasUsedUp(int restarts) {
    return lifecycle.maxRestarts() > 0 && restarts >= lifecycle.maxRestarts();
  }

  private Failure failure() {
    Integer code =
        switch (state) {
          case Failed(FailureReason.ExitCode(int number), long at) -> (Integer) number;
          case Exited exited -> exited.exitCode();
          default -> null;
        };
    String reason =
        state instanceof Failed failed
            ? failed.reason().text()
            : code == null ? "nobody knows how it ended" : "exit code " + code;
    boolean gaveUp = policyRestarts() && hasUsedUp(restartCount);
    return new Failure(gaveUp, code, reason, restartCount, epochMillis());
  }

  boolean isOf(String run) {
    return run.equals(runId);
  }

  /** Whether this is the run of its reload command. */
  boolean isReload(String run) {
    return run.equals(reloadRun);
  }

  boolean wanted() {
    return around.wanted();
  }

  /** Whether a required service has failed. */
  boolean isHeldUp() {
    return around.culprit() != null;
  }

  /** Whether everything goes down and the next daemon starts this instance again. */
  private boolean comesBack() {
    Halt halt = around.halt();
    return halt != null && halt.comesBack();
  }

  long epochMillis() {
    return around.now().epochMillis();
  }

  /** Starts the instance, or records what it has to wait for. */
  void begin() {
    if (runId != null) {
      restartDelayMillis = 0; // as soon as the old process is gone; whatever ends it goes on
      restartAt = NONE;
      return;
    }
    if (comesBack()) {
      restartDelayMillis = 0; // by the daemon that comes next
      restartAt = now;
      return;
    }
    forgetSteps();
    cancelRestart();
    if (around.culprit() != null) {
      state = new Failed(new DependencyFailed(around.culprit()), epochMillis());
    } else if (!around.waitingOn().isEmpty() || !around.conflictsWith().isEmpty()) {
      state = new Blocked(around.waitingOn(), around.conflictsWith());
    } else if (spec.isTarget()) {
      state = new Running(null, epochMillis());
    } else {
      state = new Starting(null, epochMillis());
      launch(has(Hook.BEFORE_START) ? Hook.BEFORE_START : null);
    }
  }

  /** Starts a process; its time to be ready, or to end, begins when it is there. */
  private void launch(@Nullable Hook what) {
    String run = around.runIds().get();
    runId = run;
    hook = what;
    effects.add(new Launch(before.id(), run, what));
  }

  private boolean has(Hook what) {
    return spec.hooks().has(what);
  }

  /** Records that the process of a hook is there, and bounds its time. */
  void hookSpawned(int pid, long ageMillis) {
    if (state instanceof Starting old) {
      state = new Starting(pid, old.startedAt());
    }
    if (stepUntil == NONE) {
      stepUntil = now - ageMillis + hookMillis();
      wakeAt(TimeoutKind.HOOK, stepUntil);
    }
  }

  /** The time that a hook may take; it is shorter while everything goes down. */
  private long hookMillis() {
    Halt halt = around.halt();
    long most = spec.hooks().timeoutMillis();
    return halt == null ? most : Math.min(most, halt.graceMillis());
  }

  /** The time of a hook is over: it is ended, with all that it started. */
  void hookTimedOut() {
    if (hook == Hook.BEFORE_START) {
      fail(hookFailed(tooLong()));
    } else if (hook == Hook.AFTER_STOP) {
      log(new Notice.HookFailed(hook, tooLong()));
      endProcess();
    }
  }

  private String tooLong() {
    return "not done within " + spec.hooks().timeoutMillis() + " ms";
  }

  /** Records that before_start did not do what it should, so that the process is not started. */
  FailureReason hookFailed(String problem) {
    return new FailureReason.HookFailed(Hook.BEFORE_START.text(), problem);
  }

  /** Starts the process of the service, since before_start has done its work. */
  void goOnStarting() {
    forgetSteps();
    state = new Starting(null, state instanceof Starting old ? old.startedAt() : epochMillis());
    launch(null);
  }

  /** Starts after_stop, if there is one and time for it; the process is gone. */
  boolean beginAfterStop() {
    Halt halt = around.halt();
    boolean time = halt == null || halt.shareMillis() > 0;
    if (!has(Hook.AFTER_STOP) || !time) {
      return false;
    }
    forgetSteps();
    launch(Hook.AFTER_STOP);
    return true;
  }

  /** Starts the reload command beside the process. */
  void reload(String run) {
    if (runId != null && reloadRun == null && has(Hook.RELOAD)) {
      reloadRun = run;
      reloadUntil = NONE;
      effects.add(new Launch(before.id(), run, Hook.RELOAD));
    }
  }

  /** Bounds the time of the reload command, which is there. */
  void reloadSpawned(long ageMillis) {
    if (reloadUntil == NONE) {
      reloadUntil = now - ageMillis + spec.hooks().timeoutMillis();
      wakeAt(TimeoutKind.RELOAD, reloadUntil);
    }
  }

  /** Ends the reload command, whose time is over. */
  void endReload(boolean kill) {
    String run = reloadRun;
    if (run != null && isDue(reloadUntil)) {
      if (!kill) {
        log(new Notice.HookFailed(Hook.RELOAD, tooLong()));
      }
      effects.add(kill ? new Kill(before.id(), run) : new Terminate(before.id(), run));
      reloadUntil = now + stopMillis();
      wakeAt(TimeoutKind.RELOAD_STOP, reloadUntil);
    }
  }

  /** Records that nothing of the reload command is left. */
  void reloadEnded(@Nullable String problem) {
    if (reloadRun != null) {
      log(new Notice.ReloadEnded(reloadRun, problem));
    }
    reloadRun = null;
    reloadUntil = NONE;
  }

  /** Records that the process is there. */
  void spawned(int pid, long ageMillis) {
    if (stepUntil == NONE) {
      stepUntil = now - ageMillis + lifecycle.startTimeoutMillis();
      wakeAt(TimeoutKind.START, stepUntil);
    }
    state = new Starting(pid, state instanceof Starting old ? old.startedAt() : epochMillis());
    if (awaitsSignal()) {
      listen();
    } else if (spec.type() == ServiceSpec.Type.SIMPLE && spec.health() == null) {
      ready(pid);
    } else {
      probeNow();
    }
  }

  /** Whether the process itself reports that it is ready. */
  boolean awaitsSignal() {
    return spec.readySignal() != null && spec.type() == ServiceSpec.Type.SIMPLE;
  }

  /** Whether the process may have reported that it is ready while nobody listened. */
  boolean mayHaveSignalled() {
    return adopted && awaitsSignal();
  }

  private void listen() {
    if (awaitsSignal() && runId != null) {
      effects.add(new Listen(before.id(), runId));
    }
  }

  /** Records that the process of an earlier daemon is still there. */
  void adopted(int pid, long ageMillis) {
    state = new Running(pid, state instanceof Running old ? old.readyAt() : epochMillis());
    if (restartCount > 0 && lifecycle.minUptimeMillis() == 0) {
      resetBackoff(); // its file was changed while no daemon was there
    } else if (restartCount > 0 && uptimeAt == NONE) {
      uptimeAt = now - ageMillis + lifecycle.minUptimeMillis();
    }
    if (stableAt == NONE && ageMillis < lifecycle.startStableMillis()) {
      stableAt = now - ageMillis + lifecycle.startStableMillis();
    }
  }

  void ready(@Nullable Integer pid) {
    state = new Running(pid, epochMillis());
    stepUntil = NONE;
    failedProbes = 0;
    adopted = false;
    if (lifecycle.minUptimeMillis() == 0) {
      resetBackoff();
    } else {
      uptimeAt = now + lifecycle.minUptimeMillis();
      wakeAt(TimeoutKind.UPTIME, uptimeAt);
    }
    if (lifecycle.startStableMillis() > 0) {
      stableAt = now + lifecycle.startStableMillis();
      wakeAt(TimeoutKind.STABLE, stableAt);
    }
  }

  void resetBackoff() {
    uptimeAt = NONE;
    restartCount = 0;
    nextDelayMillis = lifecycle.restartDelayMillis();
  }

  private boolean isProbed() {
    return spec.health() != null && spec.type() == ServiceSpec.Type.SIMPLE;
  }

  void probeNow() {
    if (isProbed() && runId != null) {
      probeAt = NONE;
      effects.add(new Probe(before.id(), runId, failedProbes + 1));
    }
  }

  /**
   * Schedules the next health check: after the interval, or sooner at first, so that services that
   * wait for this one need not wait long.
   */
  void probeLater() {
    HealthCheck health = spec.health();
    if (health == null || !isProbed()) {
      return;
    }
    long interval = health.intervalMillis();
    if (state.kind() == ServiceState.Kind.STARTING) {
      interval = Math.min(interval, FIRST_PROBE_AGAIN_MILLIS << Math.min(failedProbes, 20));
    }
    probeAt = now + interval;
    wakeAt(TimeoutKind.HEALTH_CHECK, probeAt);
  }

  /** Begins to stop the process with its stop signal. */
  void stop() {
    state = new Stopping(state.pid(), epochMillis());
    cancelRestart();
    endProcess();
  }

  /**
   * Records a failure while the process is there; the process is ended, and then the restart policy
   * decides.
   */
  void fail(FailureReason reason) {
    state = new Failed(reason, epochMillis());
    if (runId != null) {
      endProcess();
    }
    restartByPolicy();
  }

  private void endProcess() {
    forgetSteps();
    if (runId != null) {
      if (reloadRun != null) {
        effects.add(new Terminate(before.id(), reloadRun)); // what it reloads is ending
      }
      effects.add(new Terminate(before.id(), runId));
      stepUntil(TimeoutKind.STOP, stopMillis());
    }
  }

  /** Sends KILL, because the time to end has passed. */
  void kill() {
    if (runId != null) {
      killed = true;
      if (reloadRun != null) {
        effects.add(new Kill(before.id(), reloadRun));
      }
      effects.add(new Kill(before.id(), runId));
      stepUntil(TimeoutKind.STOP, stopMillis());
    }
  }

  /** The time that the last signal may take; it is shorter while everything goes down. */
  private long stopMillis() {
    Halt halt = around.halt();
    long most = lifecycle.stopTimeoutMillis();
    return halt == null ? most : Math.min(most, killed ? halt.killMillis() : halt.graceMillis());
  }

  /** Shortens the time for a process that is being stopped already. */
  void hurry() {
    if (around.halt() != null && runId != null && now + stopMillis() < stepUntil) {
      stepUntil(TimeoutKind.STOP, stopMillis());
    }
  }

  /** Cancels a planned start: the instance is no longer wanted up, or the daemon goes down. */
  void stayDown() {
    if (!comesBack()) {
      cancelRestart();
    }
  }

  /**
   * Records the end of a stop that was requested, whatever the exit code; if the instance is still
   * wanted up, it starts again.
   */
  void stopped() {
    if (wanted()) {
      restart();
    } else if (comesBack()) {
      restartDelayMillis = 0;
      restartAt = now;
    }
  }

  /** Records an end that nobody requested; the exit code or signal decides about the next state. */
  void ended(@Nullable Integer exitCode, @Nullable Integer signal) {
    gone();
    beginAfterStop();
    if (signal != null) {
      state = new Failed(new FailureReason.Signal(signal), epochMillis());
    } else if (exitCode == null || lifecycle.exitCodes().isSuccess(exitCode)) {
      state = new Exited(exitCode, epochMillis());
    } else {
      state = new Failed(new FailureReason.ExitCode(exitCode), epochMillis());
    }
    if (spec.type() == ServiceSpec.Type.ONESHOT && isSuccess(exitCode)) {
      resetBackoff();
    }
    restartByPolicy();
  }

  /** Forgets the process: nothing of it is left. */
  void gone() {
    if (reloadRun != null) {
      effects.add(new Kill(before.id(), reloadRun)); // nobody waits for it any more
      reloadEnded("the service ended");
    }
    runId = null;
    hook = null;
    forgetSteps();
  }

  /** Records that the old process, which blocked the next start, is gone. */
  void goneAtLast() {
    gone();
    if (restartDelayMillis == 0 && wanted()) {
      begin();
    } else if (restartDelayMillis != NONE) {
      restartAt = now + restartDelayMillis;
      wakeAt(TimeoutKind.RESTART_DELAY, restartAt);
    }
  }

  private void restartByPolicy() {
    cancelRestart();
    if ((!wanted() && !comesBack()) || !policyRestarts()) {
      return;
    }
    if (hasUsedUp(restartCount)) {
      log(new Notice.GaveUp(restartCount));
      return;
    }
    restartDelayMillis = lifecycle.delayMillis(restartCount); // by the file as it is now
    restartCount++;
    nextDelayMillis = lifecycle.delayMillis(restartCount);
    log(new Notice.RestartIn(restartDelayMillis, restartCount));
    if (runId == null) {
      restartAt = now + restartDelayMillis;
      wakeAt(TimeoutKind.RESTART_DELAY, restartAt);
    }
  }

  private boolean policyRestarts() {
    Integer exitCode =
        switch (state) {
          case Exited exited -> exited.exitCode();
          case Failed failed when failed.reason() instanceof FailureReason.ExitCode(int code) ->
              code;
          default -> null;
        };
    if (exitCode != null && lifecycle.exitCodes().noRestart().contains(exitCode)) {
      return false;
    }
    return switch (lifecycle.restart()) {
      case NEVER -> false;
      case ALWAYS -> true;
      case ON_FAILURE -> !(state instanceof Exited exited && isSuccess(exited.exitCode()));
    };
  }

  private boolean isSuccess(@Nullable Integer exitCode) {
    return exitCode != null && lifecycle.exitCodes().isSuccess(exitCode);
  }

  /** Starts the instance after its wait. */
  void restart() {
    lastRestartAt = epochMillis();
    begin();
  }

  void cancelRestart() {
    restartDelayMillis = NONE;
    restartAt = NONE;
  }

  private void forgetSteps() {
    stepUntil = NONE;
    killed = false;
    probeAt = NONE;
    failedProbes = 0;
    uptimeAt = NONE;
    stableAt = NONE;
    toRestart = false;
    adopted = false;
  }

  /** Sets all timers again that an earlier daemon had set. */
  void rearm() {
    if (restartAt != NONE) {
      wakeAt(TimeoutKind.RESTART_DELAY, restartAt);
    }
    switch (state.kind()) {
      case STARTING -> {
        if (spec.isTarget()) {
          turnInto(); // its file was changed while no daemon was there
        } else if (stepUntil != NONE) {
          wakeAt(hook == null ? TimeoutKind.START : TimeoutKind.HOOK, stepUntil);
        }
        if (hook != null) {
          return; // it is neither asked nor heard
        }
        if (state.pid() != null && awaitsSignal()) {
          listen();
        } else if (state.pid() != null) {
          probeNow(); // what is not there yet must not be found well
        }
      }
      case RUNNING -> {
        if (spec.isTarget() && runId != null) {
          turnInto(); // the same
          return;
        }
        if (uptimeAt != NONE) {
          wakeAt(TimeoutKind.UPTIME, uptimeAt);
        }
        if (stableAt != NONE) {
          wakeAt(TimeoutKind.STABLE, stableAt);
        }
        if (reloadUntil != NONE) {
          wakeAt(TimeoutKind.RELOAD, reloadUntil);
        }
        listen(); // what it says now is heard, if only to be passed over
        probeNow();
      }
      case STOPPING, FAILED, EXITED -> {
        if (hook != Hook.AFTER_STOP) {
          endProcess();
        } else if (stepUntil != NONE) {
          wakeAt(TimeoutKind.HOOK, stepUntil); // it goes on
        }
      }
      case INACTIVE, BLOCKED -> {}
    }
  }

  /** Applies a changed file to an instance that goes on running. */
  void reconfigured() {
    if (spec.isTarget() != (runId == null)) {
      turnInto();
      return;
    }
    if (hook != null) {
      return; // its command begins with the file as it is then
    }
    if (uptimeAt != NONE && lifecycle.minUptimeMillis() == 0) {
      resetBackoff();
    }
    if (state instanceof Starting && awaitsSignal()) {
      failedProbes = 0;
      probeAt = NONE;
    } else if (state instanceof Starting starting && starting.pid() != null && !isProbed()) {
      if (spec.type() == ServiceSpec.Type.SIMPLE) {
        ready(starting.pid());
      }
    } else if (!isProbed()) {
      probeAt = NONE;
      failedProbes = 0;
    } else if (probeAt != NONE || state.kind() == ServiceState.Kind.RUNNING) {
      probeNow();
    }
  }

  /** Turns a target into a service, or a service into a target. */
  private void turnInto() {
    if (runId == null) {
      begin();
    } else {
      stop(); // and when its process is gone, it begins as what it is now
    }
  }

  private void stepUntil(TimeoutKind kind, long millis) {
    stepUntil = now + millis;
    wakeAt(kind, stepUntil);
  }

  private void wakeAt(TimeoutKind kind, long bootMillis) {
    effects.add(new WakeAt(before.id(), kind, bootMillis));
  }

  void log(Notice notice) {
    effects.add(new Log(before.id(), notice));
  }

  /** Whether a wait is really over; the wake-up of an older wait may arrive late. */
  boolean isDue(long bootMillis) {
    return bootMillis != NONE && bootMillis <= now;
  }
}
