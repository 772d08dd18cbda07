package dev.kron.simulation;

import dev.kron.process.Run;
import dev.kron.process.Signal;
import dev.kron.service.HealthCheck;
import dev.kron.service.ServiceSpec;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of services, and how often a check has to fail. A process that a reload may have
 * put under other limits is not judged.
 */
final class ServiceLimits {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final long TICK_NANOS = 20 * MILLI;

  /** The time that a check which answers at the last moment may lose on its way. */
  private static final long ANSWER_NANOS = 200 * MILLI;

  private final Machine machine;
  private final Circumstances around;
  private final ServiceExecutions executions;
  private final BiFunction<Invariant, String, Violation> fail;
  private final Map<String, Started> started = new LinkedHashMap<>();
  private final Map<String, Row> rows = new HashMap<>();
  private int daemon;
  private boolean leaving;
  private final Map<String, Long> tried = new HashMap<>();
  private long lookAgainNanos;

  /** A process that was launched; {@code execution} is null until it has begun. */
  private static final class Started {
    final ServiceSpec spec;
    final String instance;
    final boolean check;
    final long atNanos;
    final int daemon;
    @Nullable Execution execution;

    /** When a daemon had heard that the process is there, and written it down. */
    long heardNanos = Execution.NEVER;

    /** The service was Running when the check began. */
    boolean whileRunning;

    /** The run that the check asks about. */
    String about = "";

    Started(ServiceSpec spec, String instance, boolean check, long atNanos, int daemon) {
      this.spec = spec;
      this.instance = instance;
      this.check = check;
      this.atNanos = atNanos;
      this.daemon = daemon;
    }
  }

  /** Checks of one process that failed one after another. */
  private static final class Row {
    String runId = "";
    int certain;
    int possible;
    int daemon;
    long lastNanos;
    @Nullable ServiceSpec spec;
  }

  ServiceLimits(
      Machine machine,
      Circumstances around,
      ServiceExecutions executions,
      BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.executions = executions;
    this.fail = fail;
  }

  /** Another daemon is there, which finds this of services; null: nothing. */
  void started(@Nullable SupervisorView found) {
    daemon++;
    leaving = false;
    for (Started each : started.values()) {
      SupervisorView.Instance told =
          each.execution == null || found == null ? null : found.ofRun(each.execution.run.id());
      // It was told to end by a daemon that could not write that down: the next one keeps it.
      if (each.execution != null && told != null && told.goesOn()) {
        each.execution.termNanos = Execution.NEVER;
      }
    }
  }

  /** A process is on record from now on: its time to be ready begins here at the latest. */
  void heard(String runId) {
    Started launched = started.get(runId);
    if (launched != null && launched.heardNanos == Execution.NEVER) {
      launched.heardNanos = machine.clock.nanos();
    }
  }

  /** The daemon is to leave: whatever it asks is asked no more, and stops are bound by another. */
  void leaving() {
    leaving = true;
  }

  /** The processes of this service may not be known any more to have been told to end. */
  void forgotten(String service) {
    started
        .values()
        .removeIf(
            it ->
                ServiceExecutions.service(it.instance).equals(service)
                    && it.execution != null
                    && it.execution.termNanos != Execution.NEVER);
  }

  /** The directory of a run was taken away: neither its limits nor its end are known. */
  void lost(String runId) {
    started.remove(runId);
  }

  /** Other files may be in force from now on. */
  void changed() {
    started.clear();
    rows.clear();
  }

  /** A process is launched under this file. */
  void launching(String runId, ServiceSpec spec, String instance) {
    started.put(runId, new Started(spec, instance, false, machine.clock.nanos(), daemon));
  }

  /**
   * A check is launched under this file.
   *
   * @param running the service's process, where the file calls it Running; null: it does not
   */
  void asking(String runId, ServiceSpec spec, String instance, @Nullable String running) {
    var asked = new Started(spec, instance, true, machine.clock.nanos(), daemon);
    asked.whileRunning = running != null;
    started.put(runId, asked);
    Row row = rows.computeIfAbsent(instance, it -> new Row());
    String about = executions.latest(instance);
    if (!row.runId.equals(about)) {
      row.runId = about;
      row.certain = 0;
      row.possible = 0;
    }
    row.possible++;
    asked.about = about;
  }

  /** A daemon wants a run to end, which may not have begun. */
  void tried(Run run) {
    tried.putIfAbsent(run.id(), machine.clock.nanos());
  }

  void began(Execution execution) {
    Started launched = started.get(execution.run.id());
    if (launched != null) {
      launched.execution = execution;
      execution.launchedNanos = launched.atNanos;
    }
  }

  /** A check has ended. */
  void ended(Execution execution, String instance) {
    Row row = rows.get(instance);
    Started asked = execution.check ? started.remove(execution.run.id()) : null;
    if (asked == null || row == null || !asked.about.equals(row.runId)) {
      return;
    }
    boolean well = Integer.valueOf(0).equals(execution.status);
    long took = machine.clock.nanos() - asked.atNanos;
    SimulatedProcess keeper = execution.command.keeper;
    boolean told = keeper != null && keeper.alive && asked.daemon == daemon;
    if (well) {
      row.certain = 0;
      boolean inTime = told && took < timeoutNanos(asked.spec) - ANSWER_NANOS;
      row.possible = inTime ? underWay(instance) : row.possible;
    } else if (told && asked.whileRunning) {
      // A daemon that could not write reads its file again, and counts anew.
      boolean goesOn = row.daemon == daemon && around.troubledNanos <= row.lastNanos;
      row.certain = goesOn ? row.certain + 1 : 1;
      row.daemon = daemon;
      row.lastNanos = machine.clock.nanos();
      row.spec = asked.spec;
    }
  }

  /** Checks that were asked before and may fail yet. */
  private int underWay(String instance) {
    long now = machine.clock.nanos();
    return (int)
        started.values().stream()
            .filter(it -> it.check && it.instance.equals(instance))
            .filter(it -> now < it.atNanos + timeoutNanos(it.spec) + ANSWER_NANOS)
            .count();
  }

  private static long timeoutNanos(ServiceSpec spec) {
    HealthCheck health = spec.health();
    return health == null ? 0 : health.timeoutMillis() * MILLI;
  }

  void signalled(Execution execution, String instance, Signal signal) {
    long now = machine.clock.nanos();
    Started launched = started.get(execution.run.id());
    if (signal == Signal.KILL && launched != null && !leaving) {
      SimulatedProcess keeper = execution.command.keeper;
      boolean kept = keeper != null && keeper.alive; // else it counts as ended at once
      boolean judged =
          !around.readErrors && (!launched.check || (kept && launched.daemon == daemon));
      long due =
          launched.check
              ? launched.atNanos + timeoutNanos(launched.spec)
              : execution.termNanos == Execution.NEVER
                  ? Long.MAX_VALUE
                  : tried.getOrDefault(execution.run.id(), now)
                      + launched.spec.lifecycle().stopTimeoutMillis() * MILLI;
      if (judged && now < due - TICK_NANOS) {
        throw fail.apply(
            Invariant.LIMITS_ARE_KEPT,
            "KILL to run %s of %s too early, it was told to end at %s"
                .formatted(execution.run.id(), instance, execution.termNanos / MILLI));
      }
    }
    if (signal == Signal.KILL) {
      execution.killNanos = now;
    } else {
      execution.termNanos = now;
    }
  }

  /** A service has failed for this reason, by what is durable. */
  void failed(String runId, String instance, String reason) {
    Started launched = started.get(runId);
    long now = machine.clock.nanos();
    if (launched == null) {
      return;
    }
    long limit = launched.spec.lifecycle().startTimeoutMillis() * MILLI;
    if (reason.equals("StartTimeout") && now < launched.atNanos + limit - TICK_NANOS) {
      throw fail.apply(
          Invariant.LIMITS_ARE_KEPT,
          "%s has failed by its start timeout of %s ms after %s ms"
              .formatted(instance, limit / MILLI, (now - launched.atNanos) / MILLI));
    }
    Execution execution = launched.execution;
    if (reason.equals("StartTimeout")
        && launched.spec.readySignal() != null
        && execution != null
        && execution.reportedNanos != Execution.NEVER
        && execution.reportedNanos < launched.atNanos + limit - ANSWER_NANOS) {
      throw fail.apply(
          Invariant.READY_IS_NEVER_MISSED,
          "%s has failed by its start timeout of %s ms, and reported that it is ready after %s ms"
              .formatted(
                  instance, limit / MILLI, (execution.reportedNanos - launched.atNanos) / MILLI));
    }
    Row row = rows.get(instance);
    HealthCheck health = launched.spec.health();
    if (reason.equals("HealthCheckFailed")
        && row != null
        && row.runId.equals(runId)
        && !around.readErrors
        && health != null
        && row.possible < health.retries()) {
      throw fail.apply(
          Invariant.CHECKS_DECIDE_IN_A_ROW,
          "%s has failed after %s checks, %s have to fail in a row"
              .formatted(instance, row.possible, health.retries()));
    }
  }

  /**
   * Time has passed.
   *
   * @param file what is durable, null: nothing, or nothing that can be relied on
   */
  void look(@Nullable SupervisorView file) {
    long now = machine.clock.nanos();
    if (now < lookAgainNanos || leaving) {
      return;
    }
    lookAgainNanos = now + SECOND;
    for (Iterator<Started> all = started.values().iterator(); all.hasNext(); ) {
      Started each = all.next();
      Execution execution = each.execution;
      if (execution != null && execution.over && !each.check) {
        all.remove();
      } else if (execution != null && !execution.over) {
        look(each, execution);
        if (file != null) {
          isHeard(file, each, execution);
        }
      }
    }
    if (file != null) {
      rows.forEach((instance, row) -> look(file, instance, row));
    }
  }

  private void look(Started each, Execution execution) {
    long due;
    if (each.check) {
      boolean ours = each.daemon == daemon;
      due = ours ? each.atNanos + timeoutNanos(each.spec) : each.atNanos;
      if (execution.killNanos != Execution.NEVER || (!ours && around.readErrors)) {
        return;
      }
    } else if (execution.termNanos != Execution.NEVER) {
      due =
          Math.max(execution.termNanos, around.freeSinceNanos())
              + each.spec.lifecycle().stopTimeoutMillis() * MILLI;
      if (execution.killNanos >= execution.termNanos) {
        return;
      }
    } else {
      // A daemon that was stopped as the process began counts from when it hears of it.
      long since = Math.max(execution.beganNanos, each.heardNanos);
      due = since + each.spec.lifecycle().startTimeoutMillis() * MILLI;
      if (isReady(each)) {
        return;
      }
    }
    if (around.hadTime(due)) {
      throw fail.apply(
          Invariant.LIMITS_ARE_KEPT,
          "run %s of %s%s goes on %s ms after its limit, told to end at %s"
              .formatted(
                  execution.run.id(),
                  each.instance,
                  each.check ? ", a check," : "",
                  (machine.clock.nanos() - due) / MILLI,
                  execution.termNanos / MILLI));
    }
  }

  private void isHeard(SupervisorView file, Started each, Execution execution) {
    SupervisorView.Instance told = file.ofRun(execution.run.id());
    if (!each.check
        && execution.reportedNanos != Execution.NEVER
        && !executions.mayBeMissed(execution.run.id())
        && told != null
        && told.state().equals("Starting")
        && around.hadTime(execution.reportedNanos)) {
      throw fail.apply(
          Invariant.READY_IS_NEVER_MISSED,
          "%s reported that it is ready %s ms ago, and is %s"
              .formatted(
                  each.instance, (machine.clock.nanos() - execution.reportedNanos) / MILLI, told));
    }
  }

  private boolean isReady(Started each) {
    Long passed = executions.checkPassedNanos(each.instance);
    return switch (each.spec.type()) {
      case ONESHOT -> false;
      case TARGET -> true;
      case SIMPLE ->
          each.spec.readySignal() != null
              ? each.execution == null
                  || each.execution.reportedNanos != Execution.NEVER
                  || executions.mayBeMissed(each.execution.run.id())
              : each.spec.health() == null || (passed != null && passed >= each.atNanos);
    };
  }

  private void look(SupervisorView file, String instance, Row row) {
    HealthCheck health = row.spec == null ? null : row.spec.health();
    SupervisorView.Instance told = file.ofRun(row.runId);
    if (health != null
        && row.daemon == daemon
        && row.certain >= health.retries()
        && told != null
        && told.state().equals("Running")
        && around.hadTime(decided(row, health))) {
      throw fail.apply(
          Invariant.CHECKS_DECIDE_IN_A_ROW,
          "%s has failed %s checks in a row, and is %s".formatted(instance, row.certain, told));
    }
  }

  /**
   * When a row of failures has its consequence: one that could not be written waits for the next
   * check.
   */
  private long decided(Row row, HealthCheck health) {
    return around.troubledNanos < row.lastNanos
        ? row.lastNanos
        : around.freeSinceNanos() + (health.intervalMillis() + health.timeoutMillis()) * MILLI;
  }
}
