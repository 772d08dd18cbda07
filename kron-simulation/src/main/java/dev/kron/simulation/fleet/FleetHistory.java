package dev.kron.simulation.fleet;

import static dev.kron.simulation.fleet.FleetWorld.MILLI;
import static dev.kron.simulation.fleet.FleetWorld.SECOND;

import dev.kron.fleet.FleetRequest;
import dev.kron.fleet.JobRow;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.RowKey;
import dev.kron.simulation.Invariant;
import dev.kron.simulation.Script.Played;
import dev.kron.simulation.Trace;
import dev.kron.simulation.Violation;
import dev.kron.simulation.fleet.FleetStep.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One history of a fleet: a scenario played in a world, with a witness. At its end all faults stop,
 * and everything has to come right again.
 */
final class FleetHistory {
  private static final long SETTLING = 60 * SECOND;
  private static final long CALM = 200 * SECOND;

  /**
   * The time for which those who know of what a failover lost are left alone, so that they can
   * tell.
   */
  private static final long TELLING = 15 * SECOND;

  private static final long TRIGGER_MILLIS = 60_000;

  private final FleetScenario scenario;
  private final FleetWorld world;
  private final int nodes;
  private final List<FleetEntry> latest;
  private long leftAloneUntil;
  private int nodesMade;
  private int requests;

  private FleetHistory(FleetScenario scenario, Trace trace) {
    this.scenario = scenario;
    this.world = new FleetWorld(trace);
    this.nodes = scenario.leaseMillis().size();
    this.latest = new ArrayList<>(scenario.jobs());
  }

  static Played play(FleetScenario scenario, boolean traced) {
    var trace = new Trace(traced);
    var history = new FleetHistory(scenario, trace);
    Violation violation = null;
    try {
      history.play();
    } catch (Violation e) {
      violation = e;
    } catch (RuntimeException e) {
      violation = new Violation(Invariant.NOTHING_FALLS_OVER, e.toString(), e);
    }
    if (violation != null) {
      trace.say(violation::getMessage);
    }
    return new Played(violation, trace, history.world.witness.executions().size());
  }

  private void play() {
    world.luck(scenario.seed());
    scenario.jobs().forEach(job -> world.trace.say(job::toString));
    for (int i = 0; i < nodes; i++) {
      List<String> labels = i % 2 == 0 ? List.of("odd") : List.of();
      var machine =
          new FleetMachine(world, newName(), node(), labels, scenario.leaseMillis().get(i));
      latest.forEach(entry -> machine.files().put(entry.name(), entry));
      world.machines.add(machine);
      machine.start();
    }
    if (scenario.has(Kind.FAILOVER)) {
      world.keepBackups();
    }
    world.pass(10 * SECOND);
    for (FleetStep step : scenario.steps()) {
      world.trace.say(() -> "-- " + step);
      world.luck(step.seed());
      perform(step);
    }
    calm();
  }

  private UUID node() {
    return new UUID(1, nodesMade);
  }

  private String newName() {
    return "n" + ++nodesMade;
  }

  private void perform(FleetStep step) {
    FleetMachine machine = world.machines.get(step.machine());
    FleetEntry entry = latest.get(step.job());
    if (world.nanos() < leftAloneUntil && disturbs(step.kind())) {
      return;
    }
    switch (step.kind()) {
      case PASS -> world.pass(world.nanos() + step.amount());
      case KILL -> machine.kill(step.amount());
      case FREEZE -> machine.freeze(step.amount());
      case SLEEP -> machine.sleep(step.amount(), false);
      case SLEEP_CLOCK_STANDS -> machine.sleep(step.amount(), true);
      case POWER_LOSS -> machine.powerOff(step.amount());
      case CUT_OFF -> {
        world.trace.say(() -> machine.name() + " is cut off");
        machine.wire().cut(step.amount());
      }
      case DATABASE_AWAY -> world.away(step.amount());
      case DATABASE_RESTART -> world.away(world.between(100, 3000) * MILLI);
      case FAILOVER -> failover(step.amount());
      case CLOCK_JUMP -> world.shiftClock(step.amount() / MILLI);
      case LOSSY -> world.conditions.lost = 1.0 / step.amount();
      case SLOW_NETWORK -> world.conditions.slow = 1.0 / step.amount();
      case SLOW_COMMITS -> world.conditions.slowCommits = 1.0 / step.amount();
      case SLOW_STARTS -> world.conditions.slowStarts = 1.0 / step.amount();
      case CLONE -> {
        if (world.machines.size() < 2 * nodes) {
          FleetMachine clone = machine.cloned();
          world.machines.add(clone);
          clone.start();
        }
      }
      case REMEMBER_DIRECTORY -> machine.remember();
      case OLD_DIRECTORY -> machine.restore();
      case ADOPT -> adopt(machine);
      case EDIT -> {
        FleetEntry edited = entry.edited(new SplittableRandom(step.seed()));
        world.trace.say(edited::toString);
        latest.set(step.job(), edited);
        give(machine, edited);
      }
      case ROLL_OUT -> give(machine, entry);
      case SUSPEND -> ask(new FleetRequest.Suspend(entry.identity()));
      case RESUME -> ask(new FleetRequest.Resume(entry.identity()));
      case TRIGGER -> ask(new FleetRequest.Trigger(entry.identity(), "", TRIGGER_MILLIS));
      case TRIGGER_HERE ->
          ask(new FleetRequest.Trigger(entry.identity(), machine.name(), TRIGGER_MILLIS));
      case RELEASE -> release(entry);
      case REMOVE -> remove(machine);
    }
  }

  private static boolean disturbs(Kind kind) {
    return switch (kind) {
      case KILL,
          FREEZE,
          SLEEP,
          SLEEP_CLOCK_STANDS,
          POWER_LOSS,
          CUT_OFF,
          DATABASE_AWAY,
          DATABASE_RESTART,
          FAILOVER,
          LOSSY,
          SLOW_NETWORK,
          SLOW_COMMITS,
          OLD_DIRECTORY,
          CLONE,
          ADOPT ->
          true;
      default -> false;
    };
  }

  private void give(FleetMachine machine, FleetEntry entry) {
    machine.files().put(entry.name(), entry);
    machine.reload();
  }

  /**
   * A failover happens while those who know of what is lost are there, and they are left alone for
   * a while: where none of them is left, nobody can know.
   */
  private void failover(long lost) {
    boolean allThere =
        world.machines.stream().allMatch(each -> each.isOut() || (each.isIn() && each.isThere()))
            && world.machines.stream().noneMatch(each -> each.wire().isCut());
    if (allThere) {
      world.conditions.heal();
      world.failover(lost);
      leftAloneUntil = world.nanos() + TELLING;
    }
  }

  /** A machine that is out of the fleet, or was copied, is told to be a node of its own. */
  private void adopt(FleetMachine machine) {
    for (FleetMachine each : world.machines) {
      if (each.isOut()) {
        String name = newName();
        each.adopt(node(), name);
        return;
      }
    }
    String name = newName();
    machine.adopt(node(), name);
  }

  private void ask(FleetRequest.What what) {
    ask(new FleetRequest("q" + ++requests, "somebody", what));
  }

  /** Asks, and asks again with the same id where no answer comes. */
  private void ask(FleetRequest request) {
    world.after(world.between(1, 500) * MILLI, () -> tell(request, 5));
  }

  private void tell(FleetRequest request, int tries) {
    if (world.isAway() || isHeld(request)) {
      if (tries > 0) {
        world.after(SECOND, () -> tell(request, tries - 1));
      }
      return;
    }
    if (world.database.request(request)) {
      world.trace.say(() -> "done: " + request.what());
      world.witness.orders().done(request, world.nanos(), world.clockMillis());
    }
    if (tries > 0 && world.happens(0.2)) {
      world.after(SECOND, () -> tell(request, 0)); // no answer came
    }
  }

  private boolean isHeld(FleetRequest request) {
    return switch (request.what()) {
      case FleetRequest.Suspend(String identity) -> isHeld(identity);
      case FleetRequest.Resume(String identity) -> isHeld(identity);
      default -> false;
    };
  }

  private boolean isHeld(String identity) {
    return world.locks.isHeld(RowKey.shared(identity));
  }

  private void release(FleetEntry entry) {
    for (FleetMachine machine : world.machines) {
      for (RowKey key : rows(entry, machine)) {
        JobRow.@Nullable Active active = active(key);
        if (active != null && active.lostSinceMillis() != null) {
          ask(new FleetRequest.Release(active.run()));
          return;
        }
      }
    }
  }

  private static List<RowKey> rows(FleetEntry entry, FleetMachine machine) {
    return List.of(
        RowKey.shared(entry.identity()), new RowKey(entry.identity(), machine.disk().node));
  }

  JobRow.@Nullable Active active(RowKey key) {
    JobRow row = look(world, key);
    return row == null ? null : row.active();
  }

  static @Nullable JobRow look(FleetWorld world, RowKey key) {
    var nobody = new NodeSession(RowKey.ANY, new NodeSession.Start(0, RowKey.ANY), 0);
    List<JobRow> rows = world.database.look(nobody, List.of(key)).rows();
    return rows.isEmpty() ? null : rows.getFirst();
  }

  /** An operator says that a machine is off, and has looked. */
  private void remove(FleetMachine machine) {
    if (!machine.isOn()
        && world.machines.stream().filter(each -> each.name().equals(machine.name())).count() == 1
        && world.database.request(
            new FleetRequest("q" + ++requests, "x", new FleetRequest.Remove(machine.name())))) {
      world.trace.say(() -> machine.name() + " is removed");
      world.witness.removed(machine.disk().node);
    }
  }

  /** All faults stop. One machine may stay away; whoever is out stays out. */
  private void calm() {
    world.trace.say(() -> "-- everything calms down");
    world.luck(scenario.seed());
    world.conditions.heal();
    world.locks.clear();
    world.back();
    boolean oneIsDead = world.happens(0.4) && world.nanos() >= leftAloneUntil;
    FleetMachine dead = world.machines.get((int) world.between(0, nodes));
    for (FleetMachine machine : world.machines) {
      if (!oneIsDead || !machine.equals(dead)) {
        machine.calm();
      }
    }
    boolean rolledOut = world.happens(0.7);
    if (rolledOut) {
      world.machines.forEach(machine -> latest.forEach(entry -> give(machine, entry)));
    }
    if (oneIsDead) {
      dead.bury();
    }
    world.pass(world.nanos() + SETTLING);
    var aftermath = new FleetAftermath(world, latest, rolledOut);
    world.pass(world.nanos() + CALM / 2);
    FleetEntry wanted = latest.get((int) world.between(0, latest.size()));
    var trigger = new FleetRequest.Trigger(wanted.identity(), "", TRIGGER_MILLIS);
    tell(new FleetRequest("last", "somebody", trigger), 0);
    aftermath.triggered(wanted, "last");
    world.pass(world.nanos() + CALM / 2);
    aftermath.judge();
  }
}
