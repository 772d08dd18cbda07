package dev.kron.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The processes of services that were really executed, and when. */
final class ServiceExecutions {
  /** Two snapshots may well be made within the same millisecond. */
  static final long SAME_MOMENT_NANOS = 20_000_000L;

  private final Machine machine;
  private final Map<String, List<Execution>> byInstance = new HashMap<>();
  private final Map<String, Execution> byRun = new HashMap<>();
  private final Map<String, Long> checkPassedNanos = new HashMap<>();
  private final Map<String, Long> launchedNanos = new HashMap<>();
  private final Map<String, String> latest = new HashMap<>();

  /** When a daemon last began, or went on after it could not write. */
  private long resumedNanos = Long.MIN_VALUE / 2;

  ServiceExecutions(Machine machine) {
    this.machine = machine;
  }

  static String service(String instance) {
    return instance.substring(0, instance.indexOf('@'));
  }

  void launched(String runId) {
    launchedNanos.put(runId, machine.clock.nanos());
  }

  /** The processes may not be known any more to have been told to end. */
  void forgetStops() {
    byRun.values().forEach(it -> it.stopped = false);
  }

  /** The process of an instance that was launched last, begun or not; empty: none. */
  String latest(String instance) {
    return latest.getOrDefault(instance, "");
  }

  void latest(String instance, String runId) {
    latest.put(instance, runId);
  }

  /** Reports before this moment may have been missed. */
  void resumed() {
    resumedNanos = machine.clock.nanos();
  }

  /** Whether a run may have reported that it is ready while nobody heard it. */
  boolean mayBeMissed(String runId) {
    Long launched = launchedNanos.get(runId);
    return launched == null || resumedNanos >= launched;
  }

  /**
   * Whether a run that reports that it is ready may count as ready. Its time begins when it is
   * launched, as it does where it fails for being late, however late its keeper claims it.
   */
  boolean isReported(String runId, long startLimitNanos) {
    Execution run = byRun.get(runId);
    if (run != null && run.reportedNanos != Execution.NEVER) {
      return true;
    }
    // Where a record is not there yet, or is gone, a later daemon cannot tell which of the two.
    Long since = launchedNanos.getOrDefault(runId, run == null ? null : (Long) run.beganNanos);
    return since != null
        && mayBeMissed(runId)
        && machine.clock.nanos() - since + SAME_MOMENT_NANOS >= startLimitNanos;
  }

  void passed(String instance) {
    checkPassedNanos.put(instance, machine.clock.nanos());
  }

  /** One more of an instance; an earlier one of the same run, or null. */
  @Nullable Execution add(String instance, Execution execution) {
    byInstance.computeIfAbsent(instance, it -> new ArrayList<>()).add(execution);
    return byRun.put(execution.run.id(), execution);
  }

  Iterable<String> instances() {
    return byInstance.keySet();
  }

  List<Execution> of(String instance) {
    return byInstance.getOrDefault(instance, List.of());
  }

  @Nullable Execution find(String runId) {
    return byRun.get(runId);
  }

  @Nullable Long launchedNanos(String runId) {
    return launchedNanos.get(runId);
  }

  @Nullable Long checkPassedNanos(String instance) {
    return checkPassedNanos.get(instance);
  }

  boolean isAlive(String instance) {
    List<Execution> all = of(instance);
    return !all.isEmpty() && !all.getLast().over; // each begins when the one before is over
  }

  /** Whether a process of it goes on of which anything tells. */
  boolean isAnyAlive(String service, Predicate<Execution> isUnknowable) {
    return byInstance.keySet().stream()
        .anyMatch(
            instance ->
                service(instance).equals(service)
                    && isAlive(instance)
                    && !isUnknowable.test(of(instance).getLast()));
  }

  /** When it ended, or could not be started; null while it goes on. */
  @Nullable Long endNanos(String runId) {
    Execution execution = byRun.get(runId);
    if (execution == null) {
      return launchedNanos.get(runId);
    }
    return execution.over ? Long.valueOf(execution.endedNanos) : null;
  }

  boolean wasUp(String runId, long nanos) {
    Long launched = launchedNanos.get(runId);
    Execution run = byRun.get(runId);
    long until = run != null && run.over ? run.endedNanos : machine.clock.nanos();
    return launched != null && until - launched + SAME_MOMENT_NANOS >= nanos;
  }
}
