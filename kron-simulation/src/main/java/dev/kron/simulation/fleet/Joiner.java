package dev.kron.simulation.fleet;

import static dev.kron.simulation.fleet.FleetWorld.MILLI;
import static dev.kron.simulation.fleet.FleetWorld.SECOND;

import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.FleetNode;
import dev.kron.fleet.Join;
import dev.kron.fleet.NodeSession.Start;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of a machine's daemon into the fleet, as {@code krond} takes it, with answers that are
 * lost.
 */
final class Joiner {
  private final FleetWorld world;
  private final FleetMachine machine;
  private final FleetNode me;
  private @Nullable Join trying;
  private boolean asKnown;
  private boolean joined;

  Joiner(FleetWorld world, FleetMachine machine, FleetNode me) {
    this.world = world;
    this.machine = machine;
    this.me = me;
  }

  boolean hasJoined() {
    return joined;
  }

  /**
   * Begins a new start, which is on disk before the database hears of it.
   *
   * @param also a start that the database has, though this node has had a later one confirmed
   */
  void join(@Nullable Start also) {
    NodeDisk disk = machine.disk();
    List<Start> before = new ArrayList<>(disk.starts);
    if (also != null) {
      before.add(also);
    }
    var start = new Start(++disk.number, world.uuid());
    disk.starts.add(start);
    asKnown = also == null;
    trying = new Join(disk.node, start, before, asKnown ? disk.writes : 0, machine.card());
    ask(trying);
  }

  private void ask(Join join) {
    boolean broken = machine.wire().isBroken(false) || machine.wire().isLost();
    int server = world.server();
    long sent = machine.bootNanos();
    world.after(
        machine.wire().delay(),
        () -> {
          if (broken || server != world.server() || machine.wire().isLost()) {
            later(join, world.between(500, 2000));
            return;
          }
          Joined answer = world.database.join(join);
          if (machine.wire().isLost()) {
            later(join, world.between(500, 2000));
          } else {
            world.after(
                machine.wire().delay(), () -> machine.whenThere(() -> heard(join, answer, sent)));
          }
        });
  }

  private void later(Join join, long millis) {
    world.after(
        millis * MILLI,
        () ->
            machine.whenThere(
                () -> {
                  if (machine.is(me) && join.equals(trying)) {
                    ask(join);
                  }
                }));
  }

  private void heard(Join join, Joined answer, long sent) {
    if (!machine.is(me) || !join.equals(trying)) {
      return;
    }
    NodeDisk disk = machine.disk();
    switch (answer) {
      case Joined.In in -> {
        trying = null;
        joined = true;
        long writes = in.session().writes();
        disk.starts = new ArrayList<>(List.of(join.start()));
        disk.writes = asKnown ? Math.max(disk.writes, writes) : writes;
        disk.generation = in.generation();
        me.joined(in, sent, machine.bootNanos());
        machine.recovered();
        machine.joined(me);
      }
      case Joined.NameTaken _ -> later(join, SECOND / MILLI);
      case Joined.Removed() -> machine.leave("it was removed");
      case Joined.OtherStart _ -> machine.leave("another start of it takes part");
      case Joined.WentBack back -> wentBack(back);
    }
  }

  private void wentBack(Joined.WentBack back) {
    NodeDisk disk = machine.disk();
    if (back.generation() <= disk.generation) {
      long known = joined ? me.fleetMillis(machine.bootNanos()) : 0;
      long pause = Math.max(me.pauseMillis(), machine.card().leaseMillis());
      world.database.raise(back.generation(), known, pause);
      world.trace.say(() -> machine.name() + " raises the generation");
    }
    Start known = back.known();
    if (known == null) {
      disk.starts = new ArrayList<>();
      disk.writes = 0;
    }
    join(known);
  }
}
