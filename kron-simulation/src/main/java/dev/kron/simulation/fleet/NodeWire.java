package dev.kron.simulation.fleet;

import static dev.kron.simulation.fleet.FleetWorld.MILLI;
import static dev.kron.simulation.fleet.FleetWorld.SECOND;

import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetNode;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.RowKey;
import dev.kron.fleet.Statement;
import dev.kron.fleet.Statement.Answer;
import dev.kron.fleet.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * A machine's two connections to the database. Statements are lost on their way, wait for locks,
 * are executed long after their sender gave them up, and executed without an answer.
 */
final class NodeWire {
  private static final long PATIENCE = 2 * SECOND;

  private final FleetWorld world;
  private final FleetMachine machine;
  private long cutUntil;
  private boolean renewalsBroken;
  private boolean othersBroken;

  NodeWire(FleetWorld world, FleetMachine machine) {
    this.world = world;
    this.machine = machine;
  }

  /** Both connections are broken, and say so when they are used again. */
  void broken() {
    renewalsBroken = true;
    othersBroken = true;
  }

  void cut(long forNanos) {
    cutUntil = Math.max(cutUntil, world.nanos() + forNanos);
  }

  void mend() {
    cutUntil = Math.min(cutUntil, world.nanos());
  }

  boolean isCut() {
    return world.nanos() < cutUntil || world.isAway();
  }

  /** Whether the connection says at once that it is broken. */
  boolean isBroken(boolean renewal) {
    boolean broken = renewal ? renewalsBroken : othersBroken;
    if (renewal) {
      renewalsBroken = false;
    } else {
      othersBroken = false;
    }
    return broken;
  }

  long delay() {
    return world.happens(world.conditions.slow)
        ? world.between(800, 7000) * MILLI
        : world.between(1, 15) * MILLI;
  }

  boolean isLost() {
    return isCut() || world.happens(world.conditions.lost);
  }

  /** The fate of a statement, for whoever waits: one of answered and failed is told, once. */
  private static final class Fate {
    boolean told;
  }

  void send(FleetNode me, Statement statement) {
    if (isBroken(statement.isRenewal())) {
      machine.whenThere(() -> machine.failed(me, statement));
      return;
    }
    var fate = new Fate();
    int server = world.server();
    if (!isLost()) {
      world.after(delay(), () -> arrive(me, statement, fate, server, world.nanos()));
    }
    world.after(PATIENCE, () -> machine.whenThere(() -> giveUp(me, statement, fate)));
  }

  private void giveUp(FleetNode me, Statement statement, Fate fate) {
    if (!fate.told) {
      fate.told = true;
      machine.failed(me, statement);
    }
  }

  private void arrive(FleetNode me, Statement statement, Fate fate, int server, long since) {
    if (server != world.server()) {
      return; // that server is no more
    }
    if (world.locks.holdUp(statement)) {
      if (world.nanos() - since < PATIENCE) {
        world.after(10 * MILLI, () -> arrive(me, statement, fate, server, since));
      } else {
        world.after(MILLI, () -> machine.whenThere(() -> giveUp(me, statement, fate)));
      }
      return;
    }
    Statement free = world.locks.free(statement);
    Set<RowKey> rows = world.happens(world.conditions.slowCommits) ? RowLocks.rows(free) : Set.of();
    if (rows.isEmpty()) {
      execute(me, statement, free, fate);
      return;
    }
    long millis = world.clockMillis();
    long delay = world.between(20, 3000) * MILLI;
    world.locks.hold(rows, world.nanos() + delay);
    world.after(
        delay,
        () -> {
          if (server == world.server()) {
            world.asOf(millis, () -> execute(me, statement, free, fate));
          }
        });
  }

  private void execute(FleetNode me, Statement asked, Statement free, Fate fate) {
    Answer answer;
    try {
      answer = free.execute(world.database);
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
    witness(free, answer);
    Answer whole = RowLocks.whole(asked, free, answer);
    if (!isLost()) {
      world.after(
          delay(),
          () ->
              machine.whenThere(
                  () -> {
                    if (!fate.told) {
                      fate.told = true;
                      machine.answered(me, asked, whole);
                    }
                  }));
    }
  }

  /** The witness sees what was committed, whether or not the node hears of it. */
  private void witness(Statement statement, Answer answer) {
    if (answer instanceof Answer.ToClaim(Claimed claimed)) {
      switch (statement) {
        case Statement.Take(NodeSession session, List<Claim> claims) ->
            taken(session, claims, claimed.verdicts());
        case Statement.TakeRequest(NodeSession session, Claim claim) ->
            taken(session, List.of(claim), claimed.verdicts());
        default -> {}
      }
    }
  }

  private void taken(NodeSession session, List<Claim> claims, List<Verdict> verdicts) {
    for (int i = 0; i < verdicts.size(); i++) {
      if (verdicts.get(i) instanceof Verdict.Taken) {
        world.witness.committed(session.node(), claims.get(i), machine);
      }
    }
  }
}
