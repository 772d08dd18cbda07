package dev.kron.simulation;

import dev.kron.process.Launch;
import dev.kron.process.Signal;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import dev.kron.simulation.SupervisorView.Instance;
import dev.kron.simulation.SupervisorView.Spec;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sees what really happens to services, and holds it against what must hold. Like the witness of
 * jobs it never asks the daemon: it reads the platter, and knows what was executed.
 */
final class ServiceWitness {
  static final Path FILE = Machine.STATE.resolve("supervisor").resolve("state.json");
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;

  /** Waits are measured in whole milliseconds, of two clocks. */
  private static final long TICK_NANOS = 2 * MILLI;

  /** What a request or a reload began may take so long to be seen. */
  static final long PATIENCE_NANOS = 30 * SECOND;

  private final Machine machine;
  private final BiFunction<Invariant, String, Violation> fail;
  private final ServiceExecutions executions;
  private @Nullable SupervisorView last;
  private byte @Nullable [] lastContent;
  private @Nullable SupervisorView beforeLast;
  private long lastNanos;
  private long beforeLastNanos;
  private boolean damaged;

  /** The file as it went bad: it may become durable later, before one that is whole. */
  private byte @Nullable [] damagedContent;

  /** Runs that were being stopped to be restarted, as far as that can be told. */
  private final Set<String> restarting = new HashSet<>();

  /** What the daemon's services are; null while that is changing. */
  private @Nullable Map<String, ServiceSpec> specs;

  private Map<String, ServiceSpec> known = Map.of();
  private long changedNanos = Long.MIN_VALUE / 2;
  private long askedNanos = Long.MIN_VALUE / 2;
  private long restartAskedNanos = Long.MIN_VALUE / 2;
  private long clockSetNanos = Long.MIN_VALUE / 2;
  private long diedNanos = Long.MIN_VALUE / 2;
  private long goneNanos;
  private long absentFromNanos = Long.MIN_VALUE / 2;
  private long absentUntilNanos = Long.MIN_VALUE / 2;
  private int asking;
  private boolean writable = true;

  ServiceWitness(Machine machine, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.fail = fail;
    this.executions = new ServiceExecutions(machine);
  }

  private long now() {
    return machine.clock.nanos();
  }

  // What the world does to the daemon.

  /** A daemon is there with these services, and nobody of an earlier one is waited for. */
  void started(Map<String, ServiceSpec> services) {
    asking = 0;
    writable = true;
    resumed(goneNanos);
    if (damaged) {
      changedNanos = now(); // what was wanted is not known either
    }
    applied(services);
  }

  /** What it wrote right before may become durable at any time from here on. */
  void died() {
    diedNanos = now();
    gone();
  }

  /** There is no daemon any more, or it did not come up. */
  void gone() {
    goneNanos = now();
  }

  /** The daemon was stopped, or the machine slept, since then; now it goes on. */
  void absent(long sinceNanos) {
    absentFromNanos = sinceNanos;
    absentUntilNanos = now();
    resumed(sinceNanos);
  }

  /** Nobody could act since then: a change that was under way goes on from here. */
  private void resumed(long sinceNanos) {
    if (sinceNanos - changedNanos < PATIENCE_NANOS) {
      changedNanos += now() - sinceNanos;
    }
  }

  void changing() {
    specs = null;
    changedNanos = now();
  }

  void unchanged() {
    specs = known;
    changedNanos = now();
  }

  void applied(Map<String, ServiceSpec> services) {
    if (!services.equals(known)) {
      changedNanos = now();
    }
    known = services;
    specs = services;
  }

  /** An operator asks for something that starts or stops services. */
  void asked(boolean restart) {
    restartAskedNanos = restart ? now() : restartAskedNanos;
    asking++;
    askedNanos = now();
  }

  void answered(boolean restart) {
    restartAskedNanos = restart ? now() : restartAskedNanos;
    asking = Math.max(0, asking - 1);
    askedNanos = now();
  }

  /** The daemon says that it cannot write, or can again; what waited for that comes now. */
  void writable(boolean now) {
    writable = now;
    changedNanos = now();
  }

  /** Waits that are over by the wall clock are over. */
  void clockSet() {
    clockSetNanos = now();
  }

  /** The file has gone bad: nobody can know any more what it said. */
  void damaged() {
    damaged = true;
    damagedContent = machine.disk.content(FILE);
    last = null;
    lastContent = null;
    beforeLast = null;
  }

  void rebooted() {
    gone();
    byte[] content = machine.disk.content(FILE);
    if (content != null) {
      durable(content);
    }
  }

  // What the daemon does to the world.

  void launching(Launch launch, String service) {
    executions.launched(launch.run().id());
    SupervisorView platter = platter();
    if (damaged || launch.command().getFirst().equals(ServiceEntries.CHECK)) {
      return;
    }
    if (platter == null || platter.ofRun(launch.run().id()) == null) {
      throw fail.apply(
          Invariant.DURABLE_BEFORE_DONE,
          service + " starts run " + launch.run().id() + ", on the platter is " + platter);
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very same bytes need not be read twice
  private @Nullable SupervisorView platter() {
    byte[] content = machine.disk.platter(FILE);
    if (content == null || content == lastContent) {
      return content == null ? null : last;
    }
    return SupervisorView.parse(content);
  }

  void began(Execution execution, String instance) {
    if (execution.check) {
      return;
    }
    List<Execution> earlier = List.copyOf(executions.of(instance));
    if (executions.add(instance, execution) != null) {
      throw fail.apply(
          Invariant.ONE_EXECUTION_PER_RUN, "run " + execution.run.id() + " began twice");
    }
    for (Execution other : earlier) {
      if (!other.over) {
        throw fail.apply(
            Invariant.ONE_PROCESS_PER_INSTANCE,
            "%s starts run %s while run %s goes on"
                .formatted(instance, execution.run.id(), other.run.id()));
      }
    }
    String rival = rival(ServiceExecutions.service(instance));
    if (rival != null && !isChanging()) {
      throw fail.apply(
          Invariant.CONFLICTS_ARE_KEPT_APART, instance + " starts while " + rival + " runs");
    }
  }

  private @Nullable String rival(String service) {
    ServiceSpec spec = specs == null ? null : specs.get(service);
    if (spec == null) {
      return null;
    }
    for (ServiceSpec other : known.values()) {
      boolean conflict =
          spec.dependencies().conflicts().contains(other.name())
              || other.dependencies().conflicts().contains(service);
      if (conflict && runs(other)) {
        return other.name();
      }
    }
    return null;
  }

  /** A reload is under way, or has just come through. */
  private boolean isChanging() {
    return specs == null || now() - changedNanos < PATIENCE_NANOS;
  }

  private boolean runs(ServiceSpec spec) {
    SupervisorView file = last;
    Instance target = spec.isTarget() && file != null ? file.find(spec.name(), 0) : null;
    return (target != null && target.isActive()) || executions.isAnyAlive(spec.name());
  }

  void ended(Execution execution, String instance) {
    if (execution.check && Integer.valueOf(0).equals(execution.status)) {
      executions.passed(instance);
    }
  }

  void signalled(Execution execution, String instance, Signal signal) {
    SupervisorView platter = platter();
    boolean trouble = !writable || isChanging(); // who goes down with everything does so even then
    if (execution.check || damaged || trouble || platter == null) {
      return;
    }
    Instance told = platter.ofRun(execution.run.id());
    if (told == null || !(told.state().equals("Stopping") || told.state().equals("Failed"))) {
      throw fail.apply(
          Invariant.DURABLE_BEFORE_DONE,
          signal + " to " + instance + ", on the platter is " + told);
    }
    String service = ServiceExecutions.service(instance);
    boolean restarted =
        restarting.contains(told.runId()) || now() - restartAskedNanos < PATIENCE_NANOS;
    if (told.state().equals("Stopping")
        && !platter.isWanted(service)
        && !restarted
        && !isChanging()) {
      stoppedInReverse(platter, service);
    }
  }

  private void stoppedInReverse(SupervisorView platter, String service) {
    for (ServiceSpec other : known.values()) {
      if (other.dependencies().requires().contains(service)) {
        for (int index = 0; index < other.instances(); index++) {
          Instance dependent = platter.find(other.name(), index);
          boolean unendable = dependent != null && dependent.detail().equals("StopTimeout");
          if (!unendable && executions.isAlive(other.name() + "@" + index)) {
            throw fail.apply(
                Invariant.STOPPED_IN_REVERSE,
                service + " is stopped while " + other.name() + " runs: " + dependent);
          }
        }
      }
    }
  }

  /** What an operator was told. */
  void answered(String what, String service) {
    SupervisorView platter = platter();
    if (damaged || platter == null || platter.spec(service) == null) {
      return;
    }
    if (platter.isWanted(service) == what.equals("stop service")) {
      throw fail.apply(
          Invariant.ANSWERS_ARE_DURABLE, what + " " + service + ", on the platter is " + platter);
    }
  }

  // What becomes durable.

  @SuppressWarnings("ReferenceEquality") // the very bytes that went bad
  void durable(byte[] content) {
    SupervisorView view = SupervisorView.parse(content);
    if (view == null) {
      if (damaged || content == damagedContent) {
        return; // it has come back from the platter as it was
      }
      throw fail.apply(Invariant.SUPERVISOR_STATE_IS_SOUND, "CTR-0102: the file is not whole");
    }
    SupervisorView before = last;
    if (view.equals(before)) {
      return;
    }
    machine.trace.say(() -> "durable services " + view.instances() + " " + view.specs().values());
    sound(view, diedNanos < lastNanos ? before : null);
    for (Instance instance : view.instances()) {
      String service = name(view, instance);
      Instance was = before == null ? null : before.find(service, instance.index());
      if (instance.state().equals("Stopping") && (view.isWanted(service) || isRestarted(was))) {
        restarting.add(instance.runId());
      }
      moved(view, instance, was);
    }
    beforeLast = before;
    beforeLastNanos = lastNanos;
    last = view;
    lastContent = content;
    lastNanos = now();
    damaged = false;
  }

  /** It is only now being stopped, and a restart or a change of files may be why. */
  private boolean isRestarted(@Nullable Instance was) {
    boolean asked = now() - restartAskedNanos < PATIENCE_NANOS;
    return (asked || isChanging()) && (was == null || !was.state().equals("Stopping"));
  }

  private static String name(SupervisorView view, Instance instance) {
    Spec spec = view.specs().get(instance.specId());
    return spec == null ? "" : spec.name();
  }

  /** The invariants and contracts of the state module's seed, as far as a file shows them. */
  private void sound(SupervisorView view, @Nullable SupervisorView before) {
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
        && clockSetNanos < lastNanos
        && changedNanos < lastNanos) { // made at once, and not durable before the disk allowed it
      wrong = "INV-0102: saved_at is still " + view.savedAtMillis();
    }
    if (wrong != null) {
      throw fail.apply(Invariant.SUPERVISOR_STATE_IS_SOUND, wrong);
    }
  }

  private void moved(SupervisorView view, Instance now, @Nullable Instance before) {
    String service = name(view, now);
    ServiceSpec spec = specs == null ? null : specs.get(service);
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
    if (newState && now.state().equals("Running") && spec != null) {
      isReady(spec, now, service + "@" + now.index());
    }
    if (newState && now.hasEnded()) {
      isTrue(now, service + "@" + now.index());
      if (spec != null && sameBoot) {
        mayBeRestarted(spec.lifecycle(), now, service + "@" + now.index());
      }
    }
  }

  /** Everything that it requires was up when that was decided. */
  private void requiredIsUp(SupervisorView view, String service, ServiceSpec spec) {
    if (isChanging()) {
      return;
    }
    for (String required : spec.dependencies().requires()) {
      ServiceSpec other = known.get(required);
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

  private static boolean isUp(@Nullable SupervisorView view, ServiceSpec spec) {
    for (int index = 0; index < spec.instances(); index++) {
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

  /** It came up, and went down again before that was written. */
  private boolean wasReady(ServiceSpec spec) {
    if (spec.type() == ServiceSpec.Type.ONESHOT && wasDone(spec)) {
      return true;
    }
    for (int index = 0; index < spec.instances(); index++) {
      String instance = spec.name() + "@" + index;
      Long passed = executions.checkPassedNanos(instance);
      boolean ready =
          spec.isTarget()
              || (spec.health() != null
                  ? passed != null && passed >= beforeLastNanos
                  : executions.of(instance).stream()
                      .anyMatch(it -> it.beganNanos >= beforeLastNanos));
      if (!ready) {
        return false;
      }
    }
    return true;
  }

  /** The last of its instances was done, and another was to begin anew in the same turn. */
  private boolean wasDone(ServiceSpec spec) {
    boolean lately = false;
    for (int index = 0; index < spec.instances(); index++) {
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

  private void mayStart(ServiceSpec spec, Instance before, String instance) {
    if (!before.hasEnded() || isAsked(before) || isChanging()) {
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
    if (before.restarts() == 0) {
      return; // as soon as its process is gone, for somebody asked
    }
    Long ended = executions.endNanos(before.runId());
    long waited = ended == null ? Long.MAX_VALUE : now() - ended + TICK_NANOS;
    long policy = delayNanos(spec.lifecycle(), before.restarts());
    if (waited < policy && (ended == null || clockSetNanos < ended)) {
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
    boolean asked = asking > 0 || now() - askedNanos < PATIENCE_NANOS;
    if (now.restartPending() && now.restarts() > 0 && !may && !asked && !isChanging()) {
      throw fail.apply(
          Invariant.RESTARTS_FOLLOW_THE_POLICY,
          instance + " is to be restarted, its policy is " + lifecycle.restart() + ": " + now);
    }
  }

  /** An operator may have started or stopped it since it ended. */
  private boolean isAsked(Instance before) {
    Long ended = executions.endNanos(before.runId());
    return asking > 0 || ended == null || askedNanos >= ended;
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
    boolean asked = asking > 0 || now() - askedNanos < PATIENCE_NANOS || askedNanos >= lastNanos;
    if (!stood && !once && !asked && !isChanging()) {
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
        && ended >= absentFromNanos
        && ended <= absentUntilNanos
        && absentUntilNanos - launched + ServiceExecutions.SAME_MOMENT_NANOS >= uptimeNanos
        && now() - absentUntilNanos < PATIENCE_NANOS;
  }

  private void isReady(ServiceSpec spec, Instance now, String instance) {
    if (spec.isTarget() || isChanging()) {
      return;
    }
    Long launched = executions.launchedNanos(now.runId());
    Long passed = executions.checkPassedNanos(instance);
    boolean ready =
        launched != null && (spec.health() == null || (passed != null && passed >= launched));
    boolean other = launched != null && changedNanos >= launched; // it was under another file
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

  // When faults have stopped.

  /** Names of services that somebody wants up. */
  List<String> wanted() {
    SupervisorView platter = platter();
    return platter == null ? List.of() : known.keySet().stream().filter(platter::isWanted).toList();
  }

  /** What is wanted up is up, and nothing else is. */
  void settled() {
    SupervisorView platter = platter();
    if (damaged || (known.isEmpty() && platter == null)) {
      return;
    }
    if (platter == null) {
      throw fail.apply(Invariant.SUPERVISOR_STATE_IS_SOUND, "CTR-0303: there is no file");
    }
    new ServicesAtLast(platter, known, executions, service -> rival(service) != null, fail).check();
  }
}
