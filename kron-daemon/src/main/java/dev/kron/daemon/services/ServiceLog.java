package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Meters;
import dev.kron.daemon.log.Reports;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect.Notice;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceState;
import dev.kron.store.PastEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The log of services. An event is logged once it is durable. */
final class ServiceLog {
  private static final String SERVICE = "service";

  private final EventLog log;
  private final Meters meters;
  private final Consumer<PastEvent> past;

  ServiceLog(Reports reports) {
    this.log = reports.log();
    this.meters = reports.meters();
    this.past = reports.past();
  }

  private void keep(
      InstanceId id,
      String what,
      @Nullable Integer exitCode,
      @Nullable String reason,
      @Nullable String runId) {
    past.accept(new PastEvent(log.millis(), id.toString(), what, exitCode, reason, runId));
  }

  /** The state of an instance has changed. */
  void changed(@Nullable ServiceInstance before, @Nullable ServiceInstance after) {
    if (after == null) {
      if (before != null) {
        log.info(SERVICE, "removed", "instance", before.id());
      }
      return;
    }
    InstanceId id = after.id();
    if (after.runId() != null
        && after.hook() != null
        && (before == null || !after.runId().equals(before.runId()))) {
      hookStarted(id, after.hook(), after.runId());
    }
    if (after.reloadRun() != null && (before == null || before.reloadRun() == null)) {
      hookStarted(id, Hook.RELOAD, after.reloadRun());
    }
    if (before != null && before.state().equals(after.state())) {
      return;
    }
    keep(before, after);
    switch (after.state()) {
      case ServiceState.Inactive() -> log.info(SERVICE, "inactive", "instance", id);
      case ServiceState.Blocked blocked ->
          log.info(
              SERVICE,
              "blocked",
              "instance",
              id,
              "waiting_on",
              String.join(",", blocked.waitingOn()),
              "conflicts_with",
              String.join(",", blocked.conflictsWith()));
      case ServiceState.Starting starting ->
          log.info(
              SERVICE, "starting", "instance", id, "run", after.runId(), "pid", starting.pid());
      case ServiceState.Running running ->
          log.info(SERVICE, "running", "instance", id, "run", after.runId(), "pid", running.pid());
      case ServiceState.Stopping stopping -> {
        if (before == null || before.state().kind() != ServiceState.Kind.STOPPING) {
          log.info(SERVICE, "stopping", "instance", id, "run", after.runId());
        }
      }
      case ServiceState.Exited exited ->
          log.info(SERVICE, "exited", "instance", id, "exit_code", exited.exitCode());
      case ServiceState.Failed failed ->
          log.error(SERVICE, "failed", "instance", id, "reason", failed.reason().text());
    }
  }

  private void hookStarted(InstanceId id, Hook hook, String runId) {
    log.info(SERVICE, "hook_started", "instance", id, "hook", hook.text(), "run", runId);
  }

  private void hookFailed(InstanceId id, Hook hook, String problem) {
    log.warn(SERVICE, "hook_failed", "instance", id, "hook", hook.text(), "reason", problem);
  }

  private void keep(@Nullable ServiceInstance before, ServiceInstance after) {
    ServiceState state = after.state();
    boolean same = before != null && before.state().kind() == state.kind();
    switch (state) {
      case ServiceState.Inactive _, ServiceState.Blocked _ -> {}
      case ServiceState.Exited exited -> keep(after.id(), "exited", exited.exitCode(), null, null);
      case ServiceState.Failed failed ->
          keep(after.id(), "failed", null, failed.reason().text(), null);
      case ServiceState.Starting _, ServiceState.Running _, ServiceState.Stopping _ -> {
        if (!same) {
          keep(after.id(), state.kind().text(), null, null, after.runId());
        }
      }
    }
  }

  /** Logs what a new daemon found out about a process. */
  void recovered(InstanceId id, ServiceEvent event) {
    if (event instanceof ServiceEvent.ProcessSpawned spawned) {
      log.info(SERVICE, "adopted", "instance", id, "run", spawned.runId(), "pid", spawned.pid());
    } else if (event instanceof ServiceEvent.NeverBegan neverBegan) {
      log.warn(SERVICE, "never_began", "instance", id, "run", neverBegan.runId());
    }
  }

  void notice(InstanceId id, Notice notice) {
    switch (notice) {
      case Notice.RestartIn(long delayMillis, int restart) -> {
        meters.restarted();
        keep(id, "restart", null, null, null);
        log.warn(SERVICE, "restart_in", "instance", id, "millis", delayMillis, "restart", restart);
      }
      case Notice.GaveUp(int restarts) -> {
        keep(id, "gave_up", null, "after " + restarts + " restarts", null);
        log.error(
            SERVICE,
            "gave_up",
            "instance",
            id,
            "restarts",
            restarts,
            "reason",
            "max restarts exceeded");
      }
      case Notice.RestartWaits(InstanceId failed) ->
          log.warn(
              SERVICE,
              "restart_waits",
              "instance",
              id,
              "reason",
              "it runs what its file said before, because "
                  + failed
                  + " has not come up with the new");
      case Notice.HookFailed(Hook hook, String problem) -> hookFailed(id, hook, problem);
      case Notice.ReloadEnded(String runId, String problem) -> {
        if (problem == null) {
          log.info(SERVICE, "reloaded_itself", "instance", id, "run", runId);
        } else {
          hookFailed(id, Hook.RELOAD, problem);
        }
      }
      case Notice.Unendable() -> log.error(SERVICE, "unendable", "instance", id);
    }
  }

  void healthFailed(InstanceId id, int attempt, String reason) {
    log.warn(SERVICE, "health_check_failed", "instance", id, "attempt", attempt, "reason", reason);
  }

  void checkWaits(InstanceId id, String reason) {
    log.warn(SERVICE, "check_waits", "instance", id, "reason", reason);
  }

  void asked(String what, Object services) {
    log.info(SERVICE, what, "services", services);
  }

  void scaled(String service, int instances) {
    log.info(SERVICE, "scale_requested", "service", service, "instances", instances);
  }

  void plan(ServicePlan plan) {
    plan.unusable()
        .forEach(
            (service, reason) ->
                log.warn(SERVICE, "credentials_unusable", "service", service, "reason", reason));
    if (!plan.isEmpty()) {
      log.info(SERVICE, "reloaded", "summary", plan.summary());
    }
  }
}
