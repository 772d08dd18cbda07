package dev.kron.daemon.api;

import dev.kron.json.JsonWriter;
import dev.kron.process.Usage;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.Lifecycle;
import dev.kron.service.ReadySignal;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The shapes of services in JSON; docs/openapi.json says the same. */
final class ServiceShapes {
  private ServiceShapes() {}

  /**
   * @param only the number of the one instance that is meant; null: all
   * @param usage by run id, as far as it was asked for
   * @param reloads whether the last reload is told, with what it wrote
   */
  static void members(
      JsonWriter json,
      Control.ServicesView view,
      ServiceSpec spec,
      @Nullable Integer only,
      Map<String, Usage> usage,
      boolean reloads)
      throws IOException {
    SupervisionState supervised = view.supervised();
    String name = spec.name();
    json.member("name", name);
    json.member("type", spec.type().name().toLowerCase(Locale.ROOT));
    json.member("description", spec.description());
    ServiceInstance one = only == null ? null : supervised.instance(new InstanceId(name, only));
    json.member("state", (one == null ? supervised.state(name) : one.state()).name());
    json.member("wanted", supervised.isWanted(name) ? "up" : "down");
    json.member("inFile", !supervised.isLeaving(name));
    json.name("instances").beginArray();
    for (ServiceInstance instance : one == null ? supervised.instances(name) : List.of(one)) {
      boolean outdated =
          instance.toRestart()
              || (instance.runId() != null && view.outdated().contains(instance.runId()));
      Control.InstanceFacts facts =
          view.facts().getOrDefault(instance.id(), Control.InstanceFacts.NONE);
      json.beginObject();
      instance(json, instance, reason(supervised, spec, instance), outdated, facts);
      if (reloads) {
        reload(json, facts.lastReload());
      }
      usage(json, instance.runId() == null ? null : usage.get(instance.runId()));
      json.member("wanted", supervised.isWanted(instance.id()) ? "up" : "down");
      json.member("stable", instance.isStable());
      json.member("restartsInTurn", instance.toRestart());
      json.endObject();
    }
    json.endArray();
    json.member("size", supervised.size(name));
    json.member("fileSize", spec.instances());
  }

  private static void instance(
      JsonWriter json,
      ServiceInstance instance,
      @Nullable String reason,
      boolean outdated,
      Control.InstanceFacts facts)
      throws IOException {
    ServiceState state = instance.state();
    json.member("instance", instance.id().toString());
    json.member("state", state.name());
    json.member("pid", state.pid());
    json.member("keeperPid", state.pid() == null ? null : facts.keeperPid());
    json.member("runId", instance.runId());
    json.millis("since", since(state));
    json.member("restarts", instance.restartCount());
    json.member("restartsTotal", facts.restarts());
    json.member("restartsLastDay", facts.restartsLastDay());
    json.member("lastExit", facts.lastExit());
    json.millis("lastExitAt", facts.lastExitAt());
    json.member("restarting", instance.inBackoff());
    json.member("exitCode", state instanceof ServiceState.Exited exited ? exited.exitCode() : null);
    json.member("reason", reason);
    json.member("outdated", outdated);
    json.member("hook", hook(instance));
    json.member("reloadRunId", instance.reloadRun());
    List<String> none = List.of();
    boolean blocked = state instanceof ServiceState.Blocked;
    json.member("waitingOn", blocked ? ((ServiceState.Blocked) state).waitingOn() : none);
    json.member("conflictsWith", blocked ? ((ServiceState.Blocked) state).conflictsWith() : none);
  }

  /** The hook that is running, by its key; null: none is. */
  private static @Nullable String hook(ServiceInstance instance) {
    if (instance.reloadRun() != null) {
      return Hook.RELOAD.text();
    }
    return instance.hook() == null ? null : instance.hook().text();
  }

  private static void reload(JsonWriter json, Control.@Nullable LastReload reload)
      throws IOException {
    json.name("lastReload");
    if (reload == null) {
      @Nullable String none = null;
      json.value(none);
      return;
    }
    json.beginObject();
    json.member("runId", reload.runId());
    json.member("exitCode", reload.exitCode());
    json.member("problem", reload.problem());
    json.member("output", reload.output());
    json.millis("endedAt", reload.endedAt());
    json.endObject();
  }

  private static void usage(JsonWriter json, @Nullable Usage usage) throws IOException {
    if (usage != null) {
      json.member("memoryBytes", usage.memoryBytes());
      json.member("cpuMillis", usage.cpuMillis());
      json.member("processes", usage.processes());
      return;
    }
    @Nullable Integer unknown = null;
    json.member("memoryBytes", unknown);
    json.member("cpuMillis", unknown);
    json.member("processes", unknown);
  }

  static long since(ServiceState state) {
    return switch (state) {
      case ServiceState.Inactive _, ServiceState.Blocked _ -> 0;
      case ServiceState.Starting starting -> starting.startedAt();
      case ServiceState.Running running -> running.readyAt();
      case ServiceState.Stopping stopping -> stopping.signalSentAt();
      case ServiceState.Exited exited -> exited.exitedAt();
      case ServiceState.Failed failed -> failed.failedAt();
    };
  }

  /** Why a service has failed: the reason of its first failed instance. */
  static @Nullable String reason(SupervisionState supervised, ServiceSpec spec) {
    for (ServiceInstance instance : supervised.instances(spec.name())) {
      @Nullable String reason = reason(supervised, spec, instance);
      if (reason != null) {
        return reason;
      }
    }
    return supervised.state(spec.name()) instanceof ServiceState.Failed failed
        ? failed.reason().text()
        : null;
  }

  private static @Nullable String reason(
      SupervisionState supervised, ServiceSpec spec, ServiceInstance instance) {
    int most = spec.lifecycle().maxRestarts();
    boolean gaveUp =
        supervised.isWanted(spec.name())
            && !instance.inBackoff()
            && most > 0
            && instance.restartCount() >= most;
    String addition = gaveUp ? "; gave up after " + instance.restartCount() + " restarts" : "";
    return switch (instance.state()) {
      case ServiceState.Failed failed -> failed.reason().text() + addition;
      // With any other policy it is down because it has succeeded.
      case ServiceState.Exited exited
          when gaveUp && spec.lifecycle().restart() == Lifecycle.Restart.ALWAYS ->
          "exit code " + exited.exitCode() + addition;
      default -> null;
    };
  }

  /** What makes a service ready. */
  private static String ready(ServiceSpec spec) {
    ReadySignal signal = spec.readySignal();
    if (signal != null) {
      return signal.text();
    }
    return spec.health() == null ? "start" : "health";
  }

  static void entry(JsonWriter json, ServiceSpec spec) throws IOException {
    json.beginObject();
    json.member("file", spec.file());
    json.member("line", spec.line());
    json.member("command", spec.exec());
    json.member("shell", spec.shell());
    json.member("autostart", spec.autostart());
    json.member("ready", ready(spec));
    json.member("beforeStart", spec.hooks().beforeStart());
    json.member("afterStop", spec.hooks().afterStop());
    json.member("reload", spec.hooks().reload());
    json.member("onfailure", spec.hooks().onFailure());
    json.member("requires", spec.dependencies().requires());
    json.member("wants", spec.dependencies().wants());
    json.member("after", spec.dependencies().after());
    json.member("conflicts", spec.dependencies().conflicts());
    json.member("credentialProfile", spec.credentialProfile());
    json.endObject();
  }
}
