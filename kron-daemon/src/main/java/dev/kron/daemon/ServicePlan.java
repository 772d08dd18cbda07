package dev.kron.daemon;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a reload does to services, by their names.
 *
 * @param started new, and to be started by themselves
 * @param added new, and not to be started by themselves
 * @param restarted their processes would be others if they were started now
 * @param changed taken over without touching a process
 * @param stopped in no file any more
 * @param unusable why their credentials cannot be read, by name: they are left alone
 */
record ServicePlan(
    List<String> started,
    List<String> added,
    List<String> restarted,
    List<String> changed,
    List<String> stopped,
    Map<String, String> unusable) {
  ServicePlan {
    started = List.copyOf(started);
    added = List.copyOf(added);
    restarted = List.copyOf(restarted);
    changed = List.copyOf(changed);
    stopped = List.copyOf(stopped);
    unusable = Collections.unmodifiableMap(new TreeMap<>(unusable));
  }

  static final ServicePlan NOTHING =
      new ServicePlan(List.of(), List.of(), List.of(), List.of(), List.of(), Map.of());

  boolean isEmpty() {
    return equals(NOTHING);
  }

  /** For people: {@code start mail, restart web, stop old}. */
  String summary() {
    List<String> parts = sentences();
    return parts.isEmpty() ? "services unchanged" : String.join("; ", parts);
  }

  /** One for each thing that is done. */
  List<String> sentences() {
    List<String> parts = new ArrayList<>();
    part(parts, "start", started);
    part(parts, "add", added);
    part(parts, "restart", restarted);
    part(parts, "take over changes of", changed);
    part(parts, "stop", stopped);
    unusable.forEach(
        (name, reason) ->
            parts.add(
                "no process of %s can be started, what runs goes on: %s: mend that and reload again"
                    .formatted(name, reason)));
    return parts;
  }

  private static void part(List<String> parts, String what, List<String> names) {
    if (!names.isEmpty()) {
      parts.add(what + " " + String.join(", ", names));
    }
  }
}
