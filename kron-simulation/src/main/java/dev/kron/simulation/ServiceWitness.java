package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.process.Launch;
import dev.kron.process.Run;
import dev.kron.process.Signal;
import dev.kron.service.ServiceSpec;
import dev.kron.simulation.SupervisorView.Instance;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sees what really happens to services, and holds it against what must hold. Like the witness of
 * jobs it never asks the daemon: it reads the platter, and knows what was executed.
 *
 * <p>One file, though a long one: whatever it hears of changes the same few maps; the rules that it
 * applies are elsewhere.
 */
final class ServiceWitness {
  static final Path FILE = Machine.STATE.resolve("supervisor").resolve("state.json");

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;
  private final ServiceExecutions executions;
  private final ServiceLimits limits;
  private final Wishes wishes = new Wishes();
  private final ServiceNews news;
  private final ServiceRules rules;
  private byte @Nullable [] lastContent;
  private boolean damaged;

  /** The file as it went bad: it may become durable later, before one that is whole. */
  private byte @Nullable [] damagedContent;

  /** Runs that were being stopped to be restarted, as far as that can be told. */
  private final Set<String> restarting = new HashSet<>();

  /** Runs whose directories or records were taken away. */
  private final Set<String> lostRuns = new HashSet<>();

  /** The services of which the file does not tell any more either. */
  private final Set<String> unknowable = new HashSet<>();

  private long diedNanos = Long.MIN_VALUE / 2;
  private long goneNanos;
  private long unwritableNanos = Long.MAX_VALUE;
  private boolean starting;

  /** Whether each service was wanted up, as the daemon found it that started last. */
  private Map<String, Boolean> remembered = Map.of();

  private boolean remembersAll;

  ServiceWitness(
      Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
    this.executions = new ServiceExecutions(machine);
    this.limits = new ServiceLimits(machine, around, executions, fail);
    this.news = new ServiceNews(machine);
    this.rules = new ServiceRules(machine, news, executions, limits, fail);
  }

  private long now() {
    return machine.clock.nanos();
  }

  // What the world does to the daemon.

  /** A daemon is there with these services, and nobody of an earlier one is waited for. */
  void started(Map<String, ServiceSpec> services) {
    news.halted = false;
    news.haltedInTrouble = false;
    news.asking = 0;
    news.writable = true;
    starting = true;
    executions.resumed();
    byte[] found = machine.disk.content(FILE);
    limits.started(found == null ? null : SupervisorView.parse(found));
    resumed(goneNanos);
    if (!services.equals(news.known)) {
      limits.changed();
      news.changedNanos = now();
    }
    if (damaged) {
      news.changedNanos = now(); // what was wanted is not known either
    }
    Set<String> either = new HashSet<>(news.known.keySet());
    either.addAll(services.keySet());
    remember();
    if (damaged) {
      either.forEach(limits::forgotten); // what was being restarted seems to run
      executions.forgetStops(); // and what was brought down, to have ended by itself
    }
    news.scales.read(services);
    if (!remembersAll) {
      news.scales.unsure();
    }
    news.known = services;
    news.specs = services;
  }

  /** The wishes that a starting daemon finds: its file, or the second of its wishes. */
  private void remember() {
    byte[] file = machine.disk.content(FILE);
    SupervisorView view = file == null ? null : SupervisorView.parse(file);
    remembered = new HashMap<>();
    if (view != null) {
      view.specs().values().stream()
          .filter(spec -> !spec.leaving())
          .forEach(spec -> remembered.put(spec.name(), spec.wanted()));
    } else {
      byte[] second = machine.disk.content(FILE.resolveSibling("wishes"));
      new String(second == null ? new byte[0] : second, UTF_8)
          .lines()
          .map(line -> line.split(" "))
          .filter(words -> words.length > 1)
          .forEach(words -> remembered.put(words[0], words[1].equals("up")));
    }
    remembersAll = view != null || (file == null && !damaged);
  }

  /** The daemon came up: services that are new to it are wanted as their files say. */
  void ready() {
    starting = false;
    wishes.begun(news.known, remembered, remembersAll);
  }

  /** The daemon died: what it wrote right before may become durable at any time from here on. */
  void died() {
    diedNanos = now();
    gone();
  }

  /** The daemon is there no more, or did not come up. */
  void gone() {
    goneNanos = now();
    if (starting || !news.writable || news.isChanging()) {
      wishes.unsure(); // whatever it was about to change, it may have
      news.scales.unsure();
    }
    starting = false;
  }

  /** The daemon was stopped, or the machine slept, since then; now it goes on. */
  void absent(long sinceNanos) {
    news.absentFromNanos = sinceNanos;
    news.absentUntilNanos = now();
    resumed(sinceNanos);
  }

  /** A change that was under way goes on from here, since nobody could act. */
  private void resumed(long sinceNanos) {
    if (sinceNanos - news.changedNanos < ServiceNews.PATIENCE_NANOS) {
      news.changedNanos += now() - sinceNanos;
    }
  }

  void changing() {
    news.specs = null;
    news.changedNanos = now();
    news.reloadedNanos = now();
    limits.changed();
  }

  void unchanged() {
    news.specs = news.known;
    news.changedNanos = now();
  }

  void applied(Map<String, ServiceSpec> services) {
    news.changedNanos = now(); // also for who failed by the file before the one of the start
    Set<String> before = news.known.keySet();
    news.scales.read(services);
    if (!news.writable) {
      news.scales.unsure();
    }
    news.known = services;
    news.specs = services;
    news.reloadedNanos = now();
    Set<String> fresh = new HashSet<>(services.keySet());
    fresh.removeAll(before);
    wishes.taken(services);
    if (!news.writable) { // it may only now be gone, or never have been
      fresh.forEach(name -> wishes.unsure(wishes.concerned(name)));
    }
  }

  /** An operator asks for something that starts or stops services. */
  void asked(boolean restart) {
    news.restartAskedNanos = restart ? now() : news.restartAskedNanos;
    news.asking++;
    news.askedNanos = now();
  }

  /** An operator asks for another number of instances. */
  void scaling(String service) {
    asked(false);
    news.scales.asked(service);
    news.changedNanos = now();
  }

  /** An operator was told what came of that; files that were read since then may say otherwise. */
  void scaled(String service, int count, long askedNanos, boolean done) {
    news.asking = Math.max(0, news.asking - 1);
    news.askedNanos = now();
    news.changedNanos = now();
    if (done && news.specs != null && news.asking == 0 && news.reloadedNanos < askedNanos) {
      news.scales.answered(service, count);
    }
  }

  /** An operator was told what came of it. */
  void answered(String what, String service, boolean done) {
    boolean restart = what.equals("restart service");
    news.restartAskedNanos = restart ? now() : news.restartAskedNanos;
    news.asking = Math.max(0, news.asking - 1);
    news.askedNanos = now();
    if (done && news.specs != null) {
      wishes.answered(what, service);
    } else if (done || machine.disk.troubled() || !news.writable) {
      wishes.unsure(wishes.concerned(service)); // it may be on the platter all the same
    }
  }

  /** The daemon that was asked did not live to say what came of it. */
  void unanswered(String service) {
    wishes.unsure(wishes.concerned(service));
    news.scales.unsure(Set.of(service));
  }

  /** The daemon says that it cannot write, or can again; what waited for that comes now. */
  void writable(boolean now) {
    if (news.writable && !now) {
      unwritableNanos = now();
    } else if (now && news.reloadedNanos > unwritableNanos - ServiceNews.PATIENCE_NANOS) {
      news.reloadedNanos = now(); // it was taken over in memory, and only now comes to be
    }
    news.writable = now;
    executions.resumed();
    news.changedNanos = now();
  }

  /** Waits that are over by the wall clock are over. */
  void clockSet() {
    news.clockSetNanos = now();
  }

  /** The file has gone bad: nobody can know any more what it said. */
  void damaged() {
    damaged = true;
    unknowable.addAll(lostRuns);
    damagedContent = machine.disk.content(FILE);
    rules.forget();
    lastContent = null;
  }

  /** The directory of a run is there no more, or what tells how it ended. */
  void runLost(String runId) {
    limits.lost(runId);
    lostRuns.add(runId);
    if (damaged) {
      unknowable.add(runId);
    }
  }

  /**
   * The file could not be read, and was taken for lost: what was brought down seems to have ended.
   */
  void rebuilt() {
    executions.forgetStops();
    if (around.readErrors) { // then the wishes beside it may have been taken for lost as well
      remembered = Map.of();
      remembersAll = false;
    }
  }

  /** Whether nothing tells any more of a run, not even the keeper of its command. */
  boolean isUnknowable(Execution execution) {
    SimulatedProcess keeper = execution.command.keeper;
    return unknowable.contains(execution.run.id()) && (keeper == null || !keeper.alive);
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
    boolean check = launch.command().getFirst().equals(ServiceEntries.CHECK);
    String instance = service + "@" + Execution.variables(launch).get("KRON_INSTANCE");
    if (!check) {
      executions.latest(instance, launch.run().id());
    }
    runsWhatItsFileSays(launch, service, instance, check);
    ServiceSpec spec = news.specs == null ? null : news.specs.get(service);
    boolean reloaded =
        now() - news.reloadedNanos < ServiceNews.PATIENCE_NANOS; // it may have been decided before
    if (spec != null && !reloaded) {
      Instance told = damaged ? null : instance(platter, instance);
      String running = told != null && told.state().equals("Running") ? told.runId() : null;
      if (check) {
        limits.asking(launch.run().id(), spec, instance, running);
      } else {
        limits.launching(launch.run().id(), spec, instance);
      }
    }
    if (damaged || check) {
      return;
    }
    if (platter == null || platter.ofRun(launch.run().id()) == null) {
      throw fail.apply(
          Invariant.DURABLE_BEFORE_DONE,
          service + " starts run " + launch.run().id() + ", on the platter is " + platter);
    }
  }

  private static @Nullable Instance instance(@Nullable SupervisorView view, String instance) {
    int at = instance.indexOf('@');
    return view == null
        ? null
        : view.find(instance.substring(0, at), Integer.parseInt(instance.substring(at + 1)));
  }

  private void runsWhatItsFileSays(Launch launch, String service, String instance, boolean check) {
    ServiceSpec spec = news.known.get(service);
    if (spec == null || news.isChanging() || isReloadWaiting()) {
      return;
    }
    String wrong = Launched.differs(launch, spec, check);
    if (wrong != null) {
      throw fail.apply(
          Invariant.WHAT_RUNS_IS_WHAT_THE_FILE_SAYS,
          "run " + launch.run().id() + " of " + instance + ": " + wrong);
    }
  }

  /** A reload was answered and could not be written: until it is, the file before it counts. */
  private boolean isReloadWaiting() {
    return !news.writable && news.reloadedNanos > unwritableNanos - ServiceNews.PATIENCE_NANOS;
  }

  /** Time has passed. */
  void look() {
    limits.look(damaged || !news.writable ? null : rules.last());
  }

  void tried(Run run) {
    limits.tried(run);
  }

  /** The daemon is to leave, and to bring everything down before. */
  void halting() {
    news.halted = true;
    news.haltedInTrouble = !news.writable;
    leaving();
  }

  /** The daemon is to leave, with everything or alone. */
  void leaving() {
    limits.leaving();
  }

  @SuppressWarnings("ReferenceEquality") // the very same bytes need not be read twice
  private @Nullable SupervisorView platter() {
    byte[] content = machine.disk.platter(FILE);
    if (content == null || content == lastContent) {
      return content == null ? null : rules.last();
    }
    return SupervisorView.parse(content);
  }

  void began(Execution execution, String instance) {
    limits.began(execution);
    if (execution.check) {
      return;
    }
    List<Execution> earlier = List.copyOf(executions.of(instance));
    if (executions.add(instance, execution) != null) {
      throw fail.apply(
          Invariant.ONE_EXECUTION_PER_RUN, "run " + execution.run.id() + " began twice");
    }
    for (Execution other : earlier) {
      if (!other.over && !isUnknowable(other)) {
        throw fail.apply(
            Invariant.ONE_PROCESS_PER_INSTANCE,
            "%s starts run %s while run %s goes on"
                .formatted(instance, execution.run.id(), other.run.id()));
      }
    }
    String rival = rival(ServiceExecutions.service(instance));
    if (rival != null && !news.isChanging()) {
      throw fail.apply(
          Invariant.CONFLICTS_ARE_KEPT_APART, instance + " starts while " + rival + " runs");
    }
  }

  private @Nullable String rival(String service) {
    ServiceSpec spec = news.specs == null ? null : news.specs.get(service);
    if (spec == null) {
      return null;
    }
    for (ServiceSpec other : news.known.values()) {
      boolean conflict =
          spec.dependencies().conflicts().contains(other.name())
              || other.dependencies().conflicts().contains(service);
      if (conflict && runs(other)) {
        return other.name();
      }
    }
    return null;
  }

  private boolean runs(ServiceSpec spec) {
    SupervisorView file = rules.last();
    Instance target = spec.isTarget() && file != null ? file.find(spec.name(), 0) : null;
    return (target != null && target.isActive())
        || executions.isAnyAlive(
            spec.name(), it -> isUnknowable(it) && (file == null || !file.tells(it.run.id())));
  }

  void ended(Execution execution, String instance) {
    if (execution.check && Integer.valueOf(0).equals(execution.status)) {
      executions.passed(instance);
    }
    limits.ended(execution, instance);
  }

  void signalled(Execution execution, String instance, Signal signal) {
    limits.signalled(execution, instance, signal);
    SupervisorView platter = platter();
    boolean trouble = // who goes down with everything does so even then, and to the end
        !news.writable || news.isChanging() || news.haltedInTrouble;
    if (execution.check || damaged || trouble || platter == null) {
      return;
    }
    Instance told = platter.ofRun(execution.run.id());
    execution.stopped |= told != null && told.state().equals("Stopping");
    if (told == null || !(told.state().equals("Stopping") || told.state().equals("Failed"))) {
      throw fail.apply(
          Invariant.DURABLE_BEFORE_DONE,
          signal + " to " + instance + ", on the platter is " + told);
    }
    String service = ServiceExecutions.service(instance);
    boolean restarted =
        restarting.contains(told.runId())
            || now() - news.restartAskedNanos < ServiceNews.PATIENCE_NANOS;
    if (told.state().equals("Stopping")
        && !platter.isWanted(service)
        && !restarted
        && !news.isChanging()) {
      stoppedInReverse(platter, service);
    }
  }

  private void stoppedInReverse(SupervisorView platter, String service) {
    for (ServiceSpec other : news.known.values()) {
      if (other.dependencies().requires().contains(service)) {
        for (int index = 0; index < news.scales.instances(other); index++) {
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

  /** An answer to an operator is checked. */
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
    SupervisorView before = rules.last();
    if (view.equals(before)) {
      return;
    }
    machine.trace.say(() -> "durable services " + view.instances() + " " + view.specs().values());
    rules.sound(view, diedNanos < rules.lastNanos() ? before : null);
    for (Instance instance : view.instances()) {
      String service = ServiceRules.name(view, instance);
      Instance was = before == null ? null : before.find(service, instance.index());
      if (instance.state().equals("Stopping") && (view.isWanted(service) || isRestarted(was))) {
        restarting.add(instance.runId());
      }
      rules.moved(view, instance, was);
      if (instance.pid() != null) {
        limits.heard(instance.runId());
      }
    }
    wishesAreKept(view);
    rules.became(view);
    lastContent = content;
    damaged = false;
  }

  /** Wishes are changed by operators and files, and by nobody else. */
  private void wishesAreKept(SupervisorView view) {
    if (news.asking > 0 || starting || !news.writable || news.isChanging()) {
      return;
    }
    news.scales.found(view);
    String wrong = news.scales.wrong(view);
    if (wrong != null) {
      throw fail.apply(Invariant.WISHES_ARE_KEPT, wrong);
    }
    for (String service : news.known.keySet()) {
      Boolean wish = wishes.of(service);
      if (wish != null && view.spec(service) != null && view.isWanted(service) != wish) {
        throw fail.apply(
            Invariant.WISHES_ARE_KEPT,
            "%s is wanted %s, on the platter is %s"
                .formatted(service, wish ? "up" : "down", view.spec(service)));
      }
    }
  }

  /** Whether it is only now being stopped, and a restart or a change of files may be why. */
  private boolean isRestarted(@Nullable Instance was) {
    boolean asked = now() - news.restartAskedNanos < ServiceNews.PATIENCE_NANOS;
    return (asked || news.isChanging()) && (was == null || !was.state().equals("Stopping"));
  }

  // When faults have stopped.

  /** The wanted services are up, and no others are. */
  void settled() {
    SupervisorView platter = platter();
    if (damaged || (news.known.isEmpty() && platter == null)) {
      return;
    }
    if (platter == null) {
      throw fail.apply(Invariant.SUPERVISOR_STATE_IS_SOUND, "CTR-0303: there is no file");
    }
    wishes.found(platter);
    news.scales.found(platter);
    wishesAreKept(platter);
    new ServicesAtLast(
            platter,
            news,
            executions,
            this::isUnknowable,
            service -> rival(service) != null,
            rules::isAtRest,
            fail)
        .check();
  }
}
