package dev.kron.simulation;

import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import dev.kron.simulation.SupervisorView.Instance;
import dev.kron.simulation.SupervisorView.Spec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Holds what becomes durable of services against what must hold. */
final class ServiceRules {
  private static final long MILLI = 1_000_000L;

  /** Waits are measured in whole milliseconds, of two clocks. */
  private static final long TICK_NANOS = 2 * MILLI;

  private final Machine machine;
  private final ServiceNews news;
  private final ServiceExecutions executions;
  private final ServiceLimits limits;
  private final BiFunction<Invariant, String, Violation> fail;

  private final Set<String> atRest = new HashSet<>();

  /** Runs that ended because everything was brought down: the next daemon starts them again. */
  private final Set<String> broughtDown = new HashSet<>();

  /** The shortest wait by the policy that was in force when a run ended, or failed; 0: unsure. */
  private final Map<String, Long> waits = new HashMap<>();

  /** The two states that were durable before the one which is judged. */
  private @Nullable SupervisorView last;

  private @Nullable SupervisorView beforeLast;
  private long lastNanos;
  private long beforeLastNanos;

  ServiceRules(
      Machine machine,
      ServiceNews news,
      ServiceExecutions executions,
      ServiceLimits limits,
      BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.news = news;
    this.executions = executions;
    this.limits = limits;
    this.fail = fail;
  }

  private long now() {
    return machine.clock.nanos();
  }

  /** The last that was durable; null: nothing, or nothing that can be relied on. */
  @Nullable SupervisorView last() {
    return last;
  }

  /** When it became so. */
  long lastNanos() {
    return lastNanos;
  }

  /** The durable state cannot be known any more. */
  void forget() {
    last = null;
    beforeLast = null;
  }

  /** A state that was judged is durable from now on. */
  void became(SupervisorView view) {
    beforeLast = last;
    beforeLastNanos = lastNanos;
    last = view;
    lastNanos = now();
  }

  /** The service that an instance is of. */
  static String name(SupervisorView view, Instance instance) {
    Spec spec = view.specs().get(instance.specId());
    return spec == null ? "" : spec.name();
  }

  /** The invariants and contracts of the state module's seed, as far as a file shows them. */
  void sound(SupervisorView view, @Nullable SupervisorView before) {
    String wrong = null;
    Set<String> keys = new HashSet<>();
    if (view.version() != 1) {
      wrong = "INV-0101: version " + view.version();
    }
    for (Instance instance : view.instances()) {
      if (!view.specs().containsKey(instance.specId())) {
        wrong = "INV-0103, CTR-0103: no spec for " + instance;
      } else if (!keys.add(instance.specId() + instance.index())) {
        wrong = "INV-0201: twice " + instance;
      } else if (instance.pid() != null && !instance.isActive()) {
        wrong = "INV-0202: a pid in " + instance;
      } else if (instance.state().equals("Stopped") && instance.code() != null) {
        wrong = "INV-0203: an exit code in " + instance;
      }
    }
    if (before != null
        && before.savedAtMillis() == view.savedAtMillis()
        && now() - lastNanos > ServiceExecutions.SAME_MOMENT_NANOS
        && news.clockSetNanos < lastNanos
        && news.changedNanos
            < lastNanos) { // made at once, and not durable before the disk allowed it
      wrong = "INV-0102: saved_at is still " + view.savedAtMillis();
    }
    if (wrong != null) {
      throw fail.apply(Invariant.SUPERVISOR_STATE_IS_SOUND, wrong);
    }
  }

  void moved(SupervisorView view, Instance now, @Nullable Instance before) {
    String service = name(view, now);
    ServiceSpec spec = news.specs == null ? null : news.specs.get(service);
    boolean sameBoot =
        before != null
            && before.bootId().equals(now.bootId())
            && now.bootId().equals(machine.processes.bootId());
    boolean newRun = before == null || !before.runId().equals(now.runId());
    if (newRun && now.state().equals("Starting") && spec != null && last != null) {
      requiredIsUp(view, service, spec);
    }
    if (spec != null && before != null && sameBoot && newRun && now.isActive()) {
      mayStart(spec, before, service + "@" + now.index());
    }
    if (spec != null && before != null && sameBoot && now.restarts() < before.restarts()) {
      mayReset(spec, before, now, service + "@" + now.index());
    }
    boolean newState = before == null || newRun || !before.state().equals(now.state());
    Execution run = executions.find(now.runId());
    boolean gone = newState && now.state().equals("Exited");
    if (run != null
        && before != null
        && before.specId().equals(now.specId()) // not a file made anew
        && gone
        && before.state().equals("Stopping")) {
      run.stopped = true;
    }
    rests(spec, now, service + "@" + now.index());
    if (newState && now.state().equals("Running") && spec != null) {
      isReady(spec, now, service + "@" + now.index());
    }
    if (newState && now.state().equals("Failed")) {
      limits.failed(now.runId(), service + "@" + now.index(), now.detail());
    }
    if (newState && now.restartPending()) {
      long wait = spec == null ? 0 : delayNanos(spec.lifecycle(), now.restarts());
      waits.put(now.runId(), news.isChanging() ? 0 : wait);
    }
    if (newState && now.hasEnded()) {
      isTrue(now, service + "@" + now.index());
      if (spec != null && sameBoot) {
        mayBeRestarted(spec.lifecycle(), now, service + "@" + now.index());
      }
    }
  }

  /** All services that it requires were up when that was decided. */
  private void requiredIsUp(SupervisorView view, String service, ServiceSpec spec) {
    if (news.isChanging()) {
      return;
    }
    for (String required : spec.dependencies().requires()) {
      ServiceSpec other = news.known.get(required);
      if (other != null
          && !isUp(view, other)
          && !isUp(last, other)
          && !isUp(beforeLast, other)
          && !wasReady(other)) {
        throw fail.apply(
            Invariant.NOT_BEFORE_WHAT_IT_REQUIRES,
            service + " is started, and " + required + " is " + view.find(required, 0));
      }
    }
  }

  private boolean isUp(@Nullable SupervisorView view, ServiceSpec spec) {
    for (int index = 0; index < news.scales.instances(spec); index++) {
      Instance instance = view == null ? null : view.find(spec.name(), index);
      boolean done =
          instance != null
              && spec.type() == ServiceSpec.Type.ONESHOT
              && instance.state().equals("Exited")
              && Integer.valueOf(0).equals(instance.code());
      if (!done && (instance == null || !instance.state().equals("Running"))) {
        return false;
      }
    }
    return true;
  }

  /** Whether it came up, and went down again before that was written. */
  private boolean wasReady(ServiceSpec spec) {
    if (spec.type() == ServiceSpec.Type.ONESHOT && wasDone(spec)) {
      return true;
    }
    for (int index = 0; index < news.scales.instances(spec); index++) {
      String instance = spec.name() + "@" + index;
      Long passed = executions.checkPassedNanos(instance);
      boolean ready =
          spec.isTarget()
              || (spec.readySignal() != null
                  ? wasReported(instance)
                  : spec.health() != null
                      ? passed != null && passed >= beforeLastNanos
                      : executions.of(instance).stream()
                          .anyMatch(it -> it.beganNanos >= beforeLastNanos));
      if (!ready) {
        return false;
      }
    }
    return true;
  }

  private boolean wasReported(String instance) {
    return executions.of(instance).stream()
        .anyMatch(
            it ->
                it.reportedNanos >= beforeLastNanos
                    || (executions.mayBeMissed(it.run.id())
                        && (!it.over || it.endedNanos >= beforeLastNanos)));
  }

  /** The last of its instances was done, and another was to begin anew in the same turn. */
  private boolean wasDone(ServiceSpec spec) {
    boolean lately = false;
    for (int index = 0; index < news.scales.instances(spec); index++) {
      List<Execution> all = executions.of(spec.name() + "@" + index);
      if (all.isEmpty()
          || !all.getLast().over
          || !Integer.valueOf(0).equals(all.getLast().status)) {
        return false;
      }
      lately |= all.getLast().endedNanos >= beforeLastNanos;
    }
    return lately;
  }

  /** Whether an instance ended by itself, and the policy that it had then does not start it. */
  boolean isAtRest(String instance) {
    return atRest.contains(instance);
  }

  private void rests(@Nullable ServiceSpec spec, Instance now, String instance) {
    Execution run = executions.find(now.runId());
    boolean stopped = run != null && run.stopped; // and is wanted up all the same
    boolean ofThisBoot = now.bootId().equals(machine.processes.bootId());
    if (!now.hasEnded() || now.restartPending() || stopped || !ofThisBoot) {
      atRest.remove(instance);
    } else if (spec == null || news.isChanging() || isLast(spec.lifecycle(), now)) {
      atRest.add(instance);
    }
  }

  private static boolean isLast(Lifecycle lifecycle, Instance now) {
    boolean done = now.state().equals("Exited") && Integer.valueOf(0).equals(now.code());
    boolean givenUp = lifecycle.maxRestarts() > 0 && now.restarts() >= lifecycle.maxRestarts();
    return switch (lifecycle.restart()) {
      case NEVER -> true;
      case ON_FAILURE -> done || givenUp;
      case ALWAYS -> givenUp;
    };
  }

  private void mayStart(ServiceSpec spec, Instance before, String instance) {
    if (!before.hasEnded() || isAsked(before) || news.isChanging()) {
      return;
    }
    if (!before.restartPending()) {
      boolean held =
          before.detail().equals("DependencyFailed") || before.detail().equals("StopTimeout");
      if (!held) {
        throw fail.apply(
            Invariant.RESTARTS_FOLLOW_THE_POLICY, instance + " is started, and was " + before);
      }
      return;
    }
    Execution last = executions.find(before.runId());
    boolean down = broughtDown.contains(before.runId()) && last != null && last.stopped;
    if (before.restarts() == 0 || down) {
      return; // as soon as its process is gone, for somebody asked
    }
    Long ended = executions.endNanos(before.runId());
    long waited = ended == null ? Long.MAX_VALUE : now() - ended + TICK_NANOS;
    // A wait that was decided before the file was changed stays as it was.
    long now = delayNanos(spec.lifecycle(), before.restarts());
    long policy = Math.min(now, waits.getOrDefault(before.runId(), now));
    if (waited < policy && (ended == null || news.clockSetNanos < ended)) {
      throw fail.apply(
          Invariant.BACKOFF_IS_KEPT,
          "%s is started %s ms after its end, restart %s waits %s ms"
              .formatted(instance, waited / MILLI, before.restarts(), policy / MILLI));
    }
  }

  /** A restart that is announced by the count of them is one by the policy. */
  private void mayBeRestarted(Lifecycle lifecycle, Instance now, String instance) {
    boolean done = now.state().equals("Exited") && Integer.valueOf(0).equals(now.code());
    boolean may =
        switch (lifecycle.restart()) {
          case ALWAYS -> true;
          case ON_FAILURE -> !done;
          case NEVER -> false;
        };
    if (news.halted && now.restartPending()) {
      broughtDown.add(now.runId());
    }
    boolean asked = news.isAsked() || broughtDown.contains(now.runId());
    if (now.restartPending() && now.restarts() > 0 && !may && !asked && !news.isChanging()) {
      throw fail.apply(
          Invariant.RESTARTS_FOLLOW_THE_POLICY,
          instance + " is to be restarted, its policy is " + lifecycle.restart() + ": " + now);
    }
  }

  /** An operator may have started or stopped it since it ended. */
  private boolean isAsked(Instance before) {
    Long ended = executions.endNanos(before.runId());
    return news.asking > 0 || ended == null || news.askedNanos >= ended;
  }

  /** Doubled with each restart, up to a limit. */
  private static long delayNanos(Lifecycle lifecycle, int restarts) {
    long delay = lifecycle.restartDelayMillis() << Math.min(restarts - 1, 20);
    return Math.min(delay, lifecycle.restartDelayMaxMillis()) * MILLI;
  }

  private void mayReset(ServiceSpec spec, Instance before, Instance now, String instance) {
    long uptime = spec.lifecycle().minUptimeMillis() * MILLI;
    boolean stood =
        executions.wasUp(now.runId(), uptime)
            || executions.wasUp(before.runId(), uptime)
            || seemedUp(before.runId(), uptime);
    boolean once = spec.type() == ServiceSpec.Type.ONESHOT;
    boolean asked = news.isAsked() || news.askedNanos >= lastNanos;
    // What could not be made durable is decided anew, from what was before it.
    if (!stood && !once && !asked && !news.isChanging() && news.writable) {
      throw fail.apply(
          Invariant.RESTARTS_ARE_COUNTED,
          "%s had %s restarts and has %s, %s"
              .formatted(instance, before.restarts(), now.restarts(), now));
    }
  }

  /**
   * It ended unseen, while the daemon was stopped, and no record says when: that it had stood for
   * long enough when the daemon went on cannot be told from that it had not.
   */
  private boolean seemedUp(String runId, long uptimeNanos) {
    Long launched = executions.launchedNanos(runId);
    Long ended = executions.endNanos(runId);
    return launched != null
        && ended != null
        && ended >= news.absentFromNanos
        && ended <= news.absentUntilNanos
        && news.absentUntilNanos - launched + ServiceExecutions.SAME_MOMENT_NANOS >= uptimeNanos
        && now() - news.absentUntilNanos < ServiceNews.PATIENCE_NANOS;
  }

  private void isReady(ServiceSpec spec, Instance now, String instance) {
    if (spec.isTarget() || news.isChanging()) {
      return;
    }
    Long launched = executions.launchedNanos(now.runId());
    Long passed = executions.checkPassedNanos(instance);
    long limit = spec.lifecycle().startTimeoutMillis() * MILLI;
    boolean ready =
        launched != null
            && (spec.readySignal() != null
                ? executions.isReported(now.runId(), limit)
                : spec.health() == null || (passed != null && passed >= launched));
    boolean other = launched != null && news.changedNanos >= launched; // it was under another file
    if (!ready && !other) {
      throw fail.apply(Invariant.RUNNING_IS_TRUE, instance + " is " + now);
    }
  }

  private void isTrue(Instance now, String instance) {
    Integer code = now.code();
    boolean exit = now.state().equals("Exited") || now.detail().equals("ExitCode");
    if (code == null || !(exit || now.detail().equals("Signal"))) {
      return;
    }
    Execution execution = executions.find(now.runId());
    Integer really = execution == null ? null : exit ? execution.status : execution.signal;
    if (!code.equals(really)) {
      throw fail.apply(
          Invariant.EXIT_CODES_ARE_TRUE, instance + " is " + now + ", really " + really);
    }
  }
}
