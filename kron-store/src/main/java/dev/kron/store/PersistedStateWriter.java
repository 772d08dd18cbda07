package dev.kron.store;

import dev.kron.json.JsonText;
import dev.kron.service.Dependencies;
import dev.kron.service.Failure;
import dev.kron.service.FailureReason;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The writer of the parts of the supervisor's file, indented for people. */
final class PersistedStateWriter {
  static final String TOP = "  ";
  static final String PART = "      ";

  private final JsonText json;
  private final String indent;
  private boolean first = true;

  private PersistedStateWriter(JsonText json, String indent) {
    this.json = json;
    this.indent = indent;
  }

  static void begin(JsonText json, PersistedState state) {
    json.ascii("{\n");
    PersistedStateWriter top = new PersistedStateWriter(json, TOP);
    top.name("version").ascii(Integer.toString(state.version()));
    top.time("saved_at", state.savedAt());
    top.time("daemon_started_at", state.daemonStartedAt());
    top.name("specs").ascii("{\n");
  }

  static void betweenSpecsAndInstances(JsonText json, boolean noInstances) {
    json.ascii(TOP).ascii("},\n").ascii(TOP).ascii("\"instances\": [");
    json.ascii(noInstances ? "" : "\n");
  }

  static void end(JsonText json, boolean noInstances, byte[] unknown) {
    json.ascii(noInstances ? "]" : TOP + "]").raw(unknown, 0, unknown.length).ascii("\n}\n");
  }

  /** The encoding of one spec, with its id before it. */
  static byte[] spec(ProcessSpec spec, UnknownMembers unknown) {
    JsonText json = new JsonText();
    json.ascii("    \"").ascii(spec.id().toString()).ascii("\": {\n");
    PersistedStateWriter members = new PersistedStateWriter(json, PART);
    members.text("id", spec.id().toString());
    members.text("name", spec.name());
    members.text("command", spec.command());
    members.texts("args", spec.args());
    members.number("instances", spec.instances());
    members.name("restart").ascii("{ \"policy\": ").string(word(spec.restart()));
    json.ascii(", \"max_retries\": ").ascii(Integer.toString(spec.maxRetries()));
    json.raw(unknown.ofRestart, 0, unknown.ofRestart.length).ascii(" }");
    members.text("type", word(spec.type()));
    members.name("shell").ascii(Boolean.toString(spec.shell()));
    members.text("file", spec.file());
    members.text("desired", word(spec.desired()));
    members.text("credential_binding", spec.credentialBinding());
    members.text("stop_signal", spec.stopSignal());
    members.number("stop_timeout_ms", spec.stopTimeoutMillis());
    members.dependencies(spec.dependencies(), unknown.ofDependencies);
    members.number("scaled_to", spec.scaledTo());
    members.numbers("stopped_instances", spec.stoppedInstances());
    json.raw(unknown.own, 0, unknown.own.length).ascii("\n    }");
    return json.toByteArray();
  }

  /** The encoding of one instance. */
  static byte[] instance(PersistedProcessInstance instance, UnknownMembers unknown) {
    JsonText json = new JsonText();
    json.ascii("    {\n");
    PersistedStateWriter members = new PersistedStateWriter(json, PART);
    members.text("spec_id", instance.specId().toString());
    members.number("instance_index", instance.instanceIndex());
    members.name("state");
    state(json, instance.state());
    members.number("pid", instance.pid());
    members.time("started_at", instance.startedAt());
    members.number("restart_count", instance.restartCount());
    members.time("last_restart", instance.lastRestart());
    members.text("credential_profile", instance.credentialProfile());
    members.text("run_id", instance.runId());
    members.text("boot_id", instance.bootId());
    members.number("start_ticks", instance.startTicks());
    members.number("restart_delay_ms", instance.restartDelayMillis());
    members.time("restart_at", instance.restartAt());
    members.text("spec_fingerprint", instance.specFingerprint());
    PersistedProcessInstance.Keeper keeper = instance.keeper();
    members.number("keeper_pid", keeper == null ? null : keeper.pid());
    members.number("keeper_start_ticks", keeper == null ? null : keeper.startTicks());
    ServicePast past = instance.past();
    members.number("restarts_total", past.restarts());
    members.text("restarts_by_hour", past.hoursText());
    members.text("last_exit", past.lastExit());
    members.time(
        "last_exit_at", past.lastExit() == null ? null : Instant.ofEpochMilli(past.lastExitAt()));
    members.name("to_restart").ascii(Boolean.toString(instance.toRestart()));
    members.text("hook", instance.hook() == null ? null : instance.hook().text());
    members.text("reload_run", instance.reloadRun());
    members.alerts(instance.alerts());
    json.raw(unknown.own, 0, unknown.own.length).ascii("\n    }");
    return json.toByteArray();
  }

  private void alerts(List<OwedAlert> alerts) {
    name("alerts").ascii("[");
    for (int i = 0; i < alerts.size(); i++) {
      Failure failure = alerts.get(i).failure();
      json.ascii(i == 0 ? "{ \"run_id\": " : ", { \"run_id\": ").string(alerts.get(i).runId());
      json.ascii(", \"gave_up\": ").ascii(Boolean.toString(failure.gaveUp()));
      json.ascii(", \"exit_code\": ").ascii(String.valueOf(failure.exitCode()));
      json.ascii(", \"reason\": ").string(failure.reason());
      json.ascii(", \"restarts\": ").ascii(Integer.toString(failure.restarts()));
      json.ascii(", \"failed_at\": \"").ascii(stamp(Instant.ofEpochMilli(failure.at())));
      json.ascii("\" }");
    }
    json.ascii("]");
  }

  private static void state(JsonText json, ProcessState state) {
    switch (state) {
      case ProcessState.Stopped(Integer exitCode) ->
          json.ascii("{ \"Stopped\": { \"exit_code\": ").ascii(exitCode + " } }");
      case ProcessState.Blocked(List<String> waitingOn, List<String> conflictsWith) -> {
        json.ascii("{ \"Blocked\": { \"waiting_on\": ");
        list(json, waitingOn);
        json.ascii(", \"conflicts_with\": ");
        list(json, conflictsWith);
        json.ascii(" } }");
      }
      case ProcessState.Starting() -> json.ascii("\"Starting\"");
      case ProcessState.Running() -> json.ascii("\"Running\"");
      case ProcessState.Stopping() -> json.ascii("\"Stopping\"");
      case ProcessState.Exited(Integer exitCode, Instant exitedAt) ->
          json.ascii("{ \"Exited\": { \"exit_code\": ")
              .ascii(String.valueOf(exitCode))
              .ascii(", \"exited_at\": \"")
              .ascii(stamp(exitedAt))
              .ascii("\" } }");
      case ProcessState.Failed(FailureReason reason, Instant failedAt) -> {
        json.ascii("{ \"Failed\": { \"reason\": ");
        reason(json, reason);
        json.ascii(", \"failed_at\": \"").ascii(stamp(failedAt)).ascii("\" } }");
      }
    }
  }

  private static void reason(JsonText json, FailureReason reason) {
    switch (reason) {
      case FailureReason.ExitCode(int code) -> json.ascii("{ \"ExitCode\": " + code + " }");
      case FailureReason.Signal(int number) -> json.ascii("{ \"Signal\": " + number + " }");
      case FailureReason.StartTimeout() -> json.ascii("\"StartTimeout\"");
      case FailureReason.StopTimeout() -> json.ascii("\"StopTimeout\"");
      case FailureReason.HealthCheckFailed(int attempts) ->
          json.ascii("{ \"HealthCheckFailed\": { \"attempts\": " + attempts + " } }");
      case FailureReason.DependencyFailed(String service) ->
          json.ascii("{ \"DependencyFailed\": { \"service\": ").string(service).ascii(" } }");
      case FailureReason.SpawnError(String message) ->
          json.ascii("{ \"SpawnError\": { \"message\": ").string(message).ascii(" } }");
      case FailureReason.HookFailed(String hook, String problem) ->
          json.ascii("{ \"HookFailed\": { \"hook\": ")
              .string(hook)
              .ascii(", \"problem\": ")
              .string(problem)
              .ascii(" } }");
    }
  }

  private void dependencies(Dependencies dependencies, byte[] unknown) {
    name("dependencies").ascii("{ \"requires\": ");
    list(json, dependencies.requires());
    json.ascii(", \"wants\": ");
    list(json, dependencies.wants());
    json.ascii(", \"after\": ");
    list(json, dependencies.after());
    json.ascii(", \"conflicts\": ");
    list(json, dependencies.conflicts());
    json.raw(unknown, 0, unknown.length).ascii(" }");
  }

  private JsonText name(String name) {
    json.ascii(first ? "" : ",\n").ascii(indent).ascii("\"").ascii(name).ascii("\": ");
    first = false;
    return json;
  }

  private void text(String name, @Nullable String value) {
    if (value == null) {
      name(name).ascii("null");
    } else {
      name(name).string(value);
    }
  }

  private void texts(String name, List<String> values) {
    name(name);
    list(json, values);
  }

  private void numbers(String name, List<Integer> values) {
    name(name).ascii(values.toString());
  }

  private void number(String name, @Nullable Number value) {
    name(name).ascii(String.valueOf(value));
  }

  private void time(String name, @Nullable Instant time) {
    text(name, time == null ? null : stamp(time));
  }

  private static void list(JsonText json, List<String> values) {
    json.ascii("[");
    for (int i = 0; i < values.size(); i++) {
      json.ascii(i == 0 ? "" : ", ").string(values.get(i));
    }
    json.ascii("]");
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String stamp(Instant time) {
    Timestamps.requireMillis(time.toEpochMilli());
    return Timestamps.ofMillis(time.toEpochMilli());
  }
}
