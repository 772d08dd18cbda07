package dev.kron.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code supervisor/state.json} as anybody can read it, by the names that the seed gives. */
record SupervisorView(
    long version, long savedAtMillis, Map<String, Spec> specs, List<Instance> instances) {

  /**
   * A service; by its id in {@link #specs}.
   *
   * @param leaving it is in no file any more, and only its processes are left
   * @param scaledTo how many instances an operator wants; null: as many as its file says
   */
  record Spec(
      String id, String name, boolean wanted, boolean leaving, @Nullable Integer scaledTo) {}

  /**
   * A process of a service.
   *
   * @param state its name; {@code detail} is what stands below it, the reason of a failure
   * @param code the exit code or signal of an end, null: none is told
   */
  record Instance(
      String specId,
      int index,
      String state,
      String detail,
      @Nullable Integer code,
      @Nullable Integer pid,
      int restarts,
      String runId,
      String bootId,
      boolean restartPending) {
    boolean hasEnded() {
      return state.equals("Exited") || state.equals("Failed");
    }

    boolean goesOn() {
      return state.equals("Starting") || state.equals("Running");
    }

    boolean isActive() {
      return state.equals("Starting") || state.equals("Running") || state.equals("Stopping");
    }
  }

  /** Null where the bytes are no such file. */
  static @Nullable SupervisorView parse(byte[] bytes) {
    try {
      if (!(WitnessJson.parse(bytes) instanceof Map<?, ?> state)) {
        return null;
      }
      Map<String, Spec> specs = new LinkedHashMap<>();
      ((Map<?, ?>) value(state, "specs"))
          .forEach((id, spec) -> specs.put((String) id, spec((String) id, (Map<?, ?>) spec)));
      var instances = new ArrayList<Instance>();
      for (Object instance : (List<?>) value(state, "instances")) {
        instances.add(instance((Map<?, ?>) instance));
      }
      return new SupervisorView(
          (Long) value(state, "version"),
          Instant.parse((String) value(state, "saved_at")).toEpochMilli(),
          specs,
          instances);
    } catch (RuntimeException e) {
      return null;
    }
  }

  private static Spec spec(String id, Map<?, ?> spec) {
    return new Spec(
        id,
        (String) value(spec, "name"),
        "up".equals(spec.get("desired")),
        "".equals(spec.get("file")),
        number(spec.get("scaled_to")));
  }

  private static Instance instance(Map<?, ?> instance) {
    Object state = value(instance, "state");
    String name = state instanceof Map<?, ?> map ? only(map) : (String) state;
    Object fields = state instanceof Map<?, ?> map ? map.get(name) : null;
    String detail = "";
    Integer code = null;
    if (fields instanceof Map<?, ?> map) {
      code = number(map.get("exit_code"));
      if (map.get("reason") instanceof Map<?, ?> reason) {
        detail = only(reason);
        code = number(reason.get(detail));
      } else if (map.get("reason") instanceof String reason) {
        detail = reason;
      }
    }
    return new Instance(
        (String) value(instance, "spec_id"),
        Math.toIntExact((Long) value(instance, "instance_index")),
        name,
        detail,
        code,
        number(instance.get("pid")),
        Math.toIntExact((Long) value(instance, "restart_count")),
        instance.get("run_id") instanceof String run ? run : "",
        instance.get("boot_id") instanceof String boot ? boot : "",
        instance.get("restart_at") != null);
  }

  private static Object value(Map<?, ?> map, String name) {
    Object value = map.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no " + name);
    }
    return value;
  }

  private static String only(Map<?, ?> map) {
    return (String) map.keySet().iterator().next();
  }

  private static @Nullable Integer number(@Nullable Object value) {
    return value instanceof Long number ? Integer.valueOf(number.intValue()) : null;
  }

  /** Null where there is none. */
  @Nullable Spec spec(String service) {
    for (Spec spec : specs.values()) {
      if (spec.name.equals(service)) {
        return spec;
      }
    }
    return null;
  }

  boolean isWanted(String service) {
    Spec spec = spec(service);
    return spec != null && spec.wanted;
  }

  /** The key {@code name@index}; the id, for a service that the file does not know. */
  String key(Instance instance) {
    Spec spec = specs.get(instance.specId);
    return (spec == null ? instance.specId : spec.name) + "@" + instance.index;
  }

  /** Whether it knows of a run: a daemon that saw it begin has written that down again. */
  boolean tells(String runId) {
    return instances.stream().anyMatch(instance -> runId.equals(instance.runId()));
  }

  @Nullable Instance find(String service, int index) {
    Spec spec = spec(service);
    for (Instance instance : instances) {
      if (spec != null && instance.specId.equals(spec.id) && instance.index == index) {
        return instance;
      }
    }
    return null;
  }

  /** The instance of this run, null where there is none. */
  @Nullable Instance ofRun(String runId) {
    for (Instance instance : instances) {
      if (instance.runId.equals(runId)) {
        return instance;
      }
    }
    return null;
  }
}
