package dev.kron.store;

import dev.kron.service.Dependencies;
import dev.kron.service.Hook;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The reader of the supervisor's file. Total: any bytes are read, or refused with a reason. */
final class PersistedStateReader {
  private final byte[] bytes;
  private final JsonCursor cursor;

  /** A spec and its unknown members. */
  private record ReadSpec(ProcessSpec spec, UnknownMembers unknown) {}

  private record ReadInstance(PersistedProcessInstance instance, UnknownMembers unknown) {}

  private PersistedStateReader(byte[] bytes) {
    this.bytes = bytes;
    this.cursor = new JsonCursor(bytes, 0, bytes.length);
  }

  static PersistedState read(byte[] bytes)
      throws MalformedStateException, UnsupportedVersionException {
    int version = version(bytes);
    if (version != PersistedState.CURRENT_VERSION) {
      throw new UnsupportedVersionException(Integer.toString(version));
    }
    try {
      return new PersistedStateReader(bytes).read();
    } catch (IllegalArgumentException e) {
      throw new MalformedStateException(String.valueOf(e.getMessage()));
    }
  }

  /** The version of any well-formed file, whatever else it contains. */
  static int version(byte[] bytes) throws MalformedStateException {
    JsonCursor cursor = new JsonCursor(bytes, 0, bytes.length);
    int version = -1;
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        if (cursor.keyIs("version")) {
          version = cursor.readInt();
        } else {
          cursor.skipValue();
        }
      } while (cursor.take(','));
      cursor.expect('}');
    }
    cursor.expectEnd();
    if (version < 0) {
      throw new MalformedStateException("version is missing or below 0");
    }
    return version;
  }

  private PersistedState read() throws MalformedStateException {
    ObjectMembers members = members("the file", ",\n" + PersistedStateWriter.TOP);
    Instant savedAt = null;
    Instant daemonStartedAt = null;
    List<ReadSpec> specs = null;
    List<ReadInstance> instances = null;
    while (members.next()) {
      switch (members.name()) {
        case "version" -> cursor.readInt();
        case "saved_at" -> savedAt = members.required(time());
        case "daemon_started_at" -> daemonStartedAt = members.required(time());
        case "specs" -> specs = specs();
        case "instances" -> instances = instances();
        default -> members.keep();
      }
    }
    cursor.expectEnd();
    PersistedState state =
        new PersistedState(
            members.require("saved_at", savedAt),
            members.require("daemon_started_at", daemonStartedAt),
            members.unknown());
    for (ReadSpec spec : members.require("specs", specs)) {
      if (state.spec(spec.spec.id()) != null) {
        throw new MalformedStateException("the spec " + spec.spec.id() + " stands twice");
      }
      state.addSpec(spec.spec, spec.unknown);
    }
    for (ReadInstance each : members.require("instances", instances)) {
      PersistedProcessInstance instance = each.instance;
      if (state.instance(instance.specId(), instance.instanceIndex()) != null) {
        throw new MalformedStateException(
            "instance " + instance.instanceIndex() + " of " + instance.specId() + " stands twice");
      }
      state.updateInstance(instance, each.unknown);
    }
    return state;
  }

  private List<ReadSpec> specs() throws MalformedStateException {
    List<ReadSpec> specs = new ArrayList<>();
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        UUID id = uuid(cursor.key());
        ReadSpec spec = spec();
        if (!spec.spec.id().equals(id)) {
          throw new MalformedStateException("the spec " + spec.spec.id() + " stands under " + id);
        }
        specs.add(spec);
      } while (cursor.take(','));
      cursor.expect('}');
    }
    return specs;
  }

  private ReadSpec spec() throws MalformedStateException {
    ObjectMembers members = members("a spec", ",\n" + PersistedStateWriter.PART);
    UUID id = null;
    String name = null;
    String command = null;
    List<String> args = null;
    int instances = 1;
    Restart restart = null;
    ServiceSpec.Type type = ServiceSpec.Type.SIMPLE;
    boolean shell = false;
    String file = "";
    ProcessSpec.Desired desired = ProcessSpec.Desired.UP;
    String binding = null;
    String stopSignal = Lifecycle.standard(false).stopSignal();
    long stopTimeoutMillis = Lifecycle.standard(false).stopTimeoutMillis();
    ReadDependencies dependencies = new ReadDependencies(Dependencies.NONE, null);
    Integer scaledTo = null;
    List<Integer> stoppedInstances = List.of();
    while (members.next()) {
      switch (members.name()) {
        case "id" -> id = uuid(cursor.readString());
        case "name" -> name = cursor.readString();
        case "command" -> command = cursor.readString();
        case "args" -> args = texts();
        case "instances" -> instances = cursor.readInt();
        case "restart" -> restart = restart();
        case "type" -> type = constant(ServiceSpec.Type.values());
        case "shell" -> shell = cursor.readBoolean();
        case "file" -> file = cursor.readString();
        case "desired" -> desired = constant(ProcessSpec.Desired.values());
        case "fingerprint" ->
            cursor.skipValue(); // older daemons wrote it, and never anything in it
        case "credential_binding" -> binding = text();
        case "stop_signal" -> stopSignal = cursor.readString();
        case "stop_timeout_ms" -> stopTimeoutMillis = cursor.readLong();
        case "dependencies" -> dependencies = dependencies();
        case "scaled_to" -> scaledTo = cursor.takeNull() ? null : cursor.readInt();
        case "stopped_instances" -> stoppedInstances = numbers();
        default -> members.keep();
      }
    }
    Restart policy = members.require("restart", restart);
    ProcessSpec spec =
        ProcessSpec.builder(members.require("id", id), members.require("name", name))
            .command(members.require("command", command))
            .args(members.require("args", args))
            .instances(instances)
            .restart(policy.policy)
            .maxRetries(policy.maxRetries)
            .type(type)
            .shell(shell)
            .file(file)
            .desired(desired)
            .credentialBinding(binding)
            .stopSignal(stopSignal)
            .stopTimeoutMillis(stopTimeoutMillis)
            .dependencies(dependencies.dependencies)
            .scaledTo(scaledTo)
            .stoppedInstances(stoppedInstances)
            .build();
    return new ReadSpec(
        spec,
        new UnknownMembers(
            members.unknown(), policy.members.unknown(), unknown(dependencies.members)));
  }

  private static byte[] unknown(@Nullable ObjectMembers members) {
    return members == null ? UnknownMembers.NOTHING : members.unknown();
  }

  private record Restart(Lifecycle.Restart policy, int maxRetries, ObjectMembers members) {}

  private record ReadDependencies(Dependencies dependencies, @Nullable ObjectMembers members) {}

  private Restart restart() throws MalformedStateException {
    ObjectMembers members = members("restart", ", ");
    Lifecycle.Restart policy = null;
    int maxRetries = 0;
    while (members.next()) {
      switch (members.name()) {
        case "policy" -> policy = constant(Lifecycle.Restart.values());
        case "max_retries" -> maxRetries = cursor.readInt();
        default -> members.keep();
      }
    }
    return new Restart(members.require("policy", policy), maxRetries, members);
  }

  private ReadDependencies dependencies() throws MalformedStateException {
    ObjectMembers members = members("dependencies", ", ");
    List<String> requires = List.of();
    List<String> wants = List.of();
    List<String> after = List.of();
    List<String> conflicts = List.of();
    while (members.next()) {
      switch (members.name()) {
        case "requires" -> requires = texts();
        case "wants" -> wants = texts();
        case "after" -> after = texts();
        case "conflicts" -> conflicts = texts();
        default -> members.keep();
      }
    }
    return new ReadDependencies(new Dependencies(requires, wants, after, conflicts), members);
  }

  private List<ReadInstance> instances() throws MalformedStateException {
    List<ReadInstance> instances = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        instances.add(instance());
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return instances;
  }

  private ReadInstance instance() throws MalformedStateException {
    ObjectMembers members = members("an instance", ",\n" + PersistedStateWriter.PART);
    UUID specId = null;
    int index = -1;
    ProcessState state = new ProcessState.Stopped(null);
    Integer pid = null;
    Instant startedAt = null;
    int restartCount = 0;
    Instant lastRestart = null;
    String profile = null;
    String runId = null;
    String bootId = null;
    long startTicks = 0;
    long restartDelayMillis = 0;
    Instant restartAt = null;
    String fingerprint = "";
    boolean keepersAside = false;
    Integer keeperPid = null;
    long keeperTicks = 0;
    int restarts = 0;
    String restartsByHour = "";
    String lastExit = null;
    Instant lastExitAt = null;
    boolean toRestart = false;
    String hook = null;
    String reloadRun = null;
    List<OwedAlert> alerts = List.of();
    while (members.next()) {
      switch (members.name()) {
        case "spec_id" -> specId = uuid(cursor.readString());
        case "instance_index" -> index = cursor.readInt();
        case "state" -> state = new ProcessStateReader(cursor).read();
        case "pid" -> pid = cursor.takeNull() ? null : cursor.readInt();
        case "started_at" -> startedAt = time();
        case "restart_count" -> restartCount = cursor.readInt();
        case "last_restart" -> lastRestart = time();
        case "credential_profile" -> profile = text();
        case "run_id" -> runId = runId();
        case "boot_id" -> bootId = text();
        case "start_ticks" -> startTicks = cursor.readLong();
        case "restart_delay_ms" -> restartDelayMillis = cursor.readLong();
        case "restart_at" -> restartAt = time();
        case "spec_fingerprint" -> fingerprint = cursor.readString();
        case "keeper_pid" -> {
          keepersAside = true;
          keeperPid = cursor.takeNull() ? null : cursor.readInt();
        }
        case "restarts_total" -> restarts = cursor.readInt();
        case "restarts_by_hour" -> restartsByHour = cursor.readString();
        case "last_exit" -> lastExit = text();
        case "last_exit_at" -> lastExitAt = time();
        case "to_restart" -> toRestart = cursor.readBoolean();
        case "hook" -> hook = text();
        case "reload_run" -> reloadRun = runId();
        case "alerts" -> alerts = new OwedAlertsReader(bytes, cursor).read();
        case "keeper_start_ticks" -> keeperTicks = cursor.takeNull() ? 0 : cursor.readLong();
        default -> members.keep();
      }
    }
    if (!keepersAside) { // written when the keeper's was the only pid
      keeperPid = pid;
      keeperTicks = startTicks;
    }
    PersistedProcessInstance instance =
        PersistedProcessInstance.builder(members.require("spec_id", specId), index)
            .state(state)
            .pid(pid)
            .startedAt(startedAt)
            .restartCount(restartCount)
            .lastRestart(lastRestart)
            .credentialProfile(profile)
            .runId(runId)
            .bootId(bootId)
            .startTicks(startTicks)
            .restartDelayMillis(restartDelayMillis)
            .restartAt(restartAt)
            .specFingerprint(fingerprint)
            .keeper(
                keeperPid == null
                    ? null
                    : new PersistedProcessInstance.Keeper(keeperPid, keeperTicks))
            .past(
                new ServicePast(
                    restarts,
                    ServicePast.hours(restartsByHour),
                    lastExit,
                    lastExitAt == null ? 0 : lastExitAt.toEpochMilli()))
            .toRestart(toRestart)
            .hook(hook == null ? null : hook(hook))
            .reloadRun(reloadRun)
            .alerts(alerts)
            .build();
    return new ReadInstance(
        instance,
        new UnknownMembers(members.unknown(), UnknownMembers.NOTHING, UnknownMembers.NOTHING));
  }

  private Hook hook(String text) throws MalformedStateException {
    return Hook.of(text).orElseThrow(() -> cursor.malformed("an unknown hook"));
  }

  private @Nullable String text() throws MalformedStateException {
    return cursor.takeNull() ? null : cursor.readString();
  }

  /** Reads a run id. It names a directory, so nothing but a run id may be accepted. */
  private @Nullable String runId() throws MalformedStateException {
    String runId = text();
    if (runId != null && !RunIds.isRunId(runId)) {
      throw cursor.malformed("a run id expected");
    }
    return runId;
  }

  private List<String> texts() throws MalformedStateException {
    return ProcessStateReader.texts(cursor);
  }

  private List<Integer> numbers() throws MalformedStateException {
    List<Integer> numbers = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        numbers.add(cursor.readInt());
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return numbers;
  }

  private @Nullable Instant time() throws MalformedStateException {
    return cursor.takeNull() ? null : ProcessStateReader.time(cursor);
  }

  private <E extends Enum<E>> E constant(E[] all) throws MalformedStateException {
    String word = cursor.readString();
    for (E constant : all) {
      if (PersistedStateWriter.word(constant).equals(word)) {
        return constant;
      }
    }
    throw cursor.malformed("an unknown word");
  }

  private UUID uuid(String text) throws MalformedStateException {
    // fromString also accepts shorter forms, which would be written back differently.
    if (text.length() == 36) {
      UUID id = UUID.fromString(text);
      if (id.toString().equals(text)) {
        return id;
      }
    }
    throw cursor.malformed("a UUID expected");
  }

  private ObjectMembers members(String what, String separator) {
    return new ObjectMembers(bytes, cursor, what, separator);
  }
}
