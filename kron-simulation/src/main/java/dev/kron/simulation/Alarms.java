package dev.kron.simulation;

import dev.kron.simulation.StateView.Entry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;

/** Alerts: one for each failure that became durable, of jobs whose file names a command for it. */
final class Alarms {
  private static final long NANOS_PER_MILLI = 1_000_000L;

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;

  /** The times that each alert may take. */
  final AlertLimits limits;

  /** Failures of which somebody was told, with the names of the directories of those alerts. */
  private final Map<String, String> raised = new HashMap<>();

  private final Map<String, Owed> owed = new LinkedHashMap<>();
  private final Set<String> launched = new HashSet<>();

  /**
   * @param entry what the file said when the failure became durable
   */
  private record Owed(String identity, JobEntry entry, long sinceNanos) {}

  Alarms(Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
    this.limits = new AlertLimits(machine, around, fail);
  }

  /** A run or period has this on record from now on. */
  void recorded(String identity, Entry entry) {
    JobEntry spec = around.entry(identity);
    String failure = failure(identity, entry.period(), entry.runId());
    boolean troubled = machine.disk.troubled() || around.undecided;
    boolean failed = isFailure(entry) && !entry.released();
    if (spec != null && !spec.alert().isEmpty() && failed && !troubled) {
      if (!launched.contains(failure)) {
        owed.put(failure, new Owed(identity, spec, machine.clock.nanos()));
      }
    }
  }

  static boolean isFailure(Entry entry) {
    return switch (entry.outcome()) {
      case "executed" -> !isWanted(entry) && !entry.success();
      case "missed" -> !isWanted(entry);
      case "unschedulable" -> true;
      default -> false;
    };
  }

  /** An operator stopped it, or another took its place. */
  static boolean isWanted(Entry entry) {
    return entry.why().cause().equals("stopped-by-operator")
        || entry.why().cause().equals("replaced");
  }

  private static String failure(String identity, String period, String runId) {
    return identity + " " + period + (runId.isEmpty() ? "" : " " + runId);
  }

  /** A daemon tries to start the command that is told of a failure. */
  void launching(Map<String, String> variables) {
    String identity = variables.getOrDefault("KRON_IDENTITY", "");
    String period = variables.getOrDefault("KRON_PERIOD", "");
    String run = variables.getOrDefault("KRON_RUN_ID", "");
    limits.launching(variables.getOrDefault("KRON_ALERT_ID", ""));
    // The same twice where nothing was started, and so no run has failed.
    for (String failure : List.of(failure(identity, period, ""), failure(identity, period, run))) {
      owed.remove(failure);
      launched.add(failure);
    }
  }

  void began(Execution execution) {
    String failure = failure(execution);
    if (raised.put(failure, directory(execution)) != null) {
      throw fail.apply(Invariant.ALERTED_AT_MOST_ONCE, "twice for " + failure);
    }
    limits.began(execution);
  }

  private static String failure(Execution execution) {
    return execution.identity + " " + execution.period + " " + execution.run.id();
  }

  static String directory(Execution execution) {
    return String.valueOf(execution.run.directory().getFileName());
  }

  /** The directory of a run is gone; that of an alert alone knows that it is owed, or raised. */
  void lost(String directory) {
    excused();
    raised.values().removeIf(directory::equals);
    limits.lost(directory);
  }

  /** The file of a job is lost, and with it what it said of failures. */
  void excused(String identity) {
    owed.values().removeIf(it -> it.identity.equals(identity));
  }

  /** An event after which alerts may be lost: power, a bad disk. */
  void excused() {
    owed.clear();
  }

  /** Time has passed. */
  void look() {
    limits.look();
    if (owed.isEmpty()) {
      return;
    }
    if (machine.disk.troubled()) {
      excused();
      return;
    }
    owed.values().removeIf(it -> !Objects.equals(around.known.get(it.identity), it.entry));
    owed.forEach(
        (failure, due) -> {
          if (around.hadTime(due.sinceNanos)) {
            throw fail.apply(
                Invariant.FAILURES_ARE_TOLD,
                "nobody was told of %s, on record for %s ms"
                    .formatted(
                        failure, (machine.clock.nanos() - due.sinceNanos) / NANOS_PER_MILLI));
          }
        });
  }
}
